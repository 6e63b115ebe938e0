// The part of JSON Schema that docs/schemas/ uses.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using nlohmann::json;

const json& schema_file(const std::string& name) {
  static std::map<std::string, json> files;
  const auto found = files.find(name);
  if (found != files.end()) return found->second;
  return files[name] = json::parse(read(source_file("docs/schemas/") + name));
}

class Validator {
 public:
  explicit Validator(std::string file) : file_(std::move(file)) {}

  void check(const json& schema, const json& value, const std::string& path) {
    static const std::set<std::string> known{"$schema",    "$defs",       "$ref",
                                             "title",      "description", "type",
                                             "properties", "required",    "additionalProperties",
                                             "items",      "enum",        "const",
                                             "pattern",    "minimum",     "maximum",
                                             "oneOf",      "minItems",    "maxItems"};
    for (const auto& [keyword, _] : schema.items())
      if (!known.contains(keyword)) complain(path, "schema keyword " + keyword + " is not known to this test");
    if (schema.contains("$ref")) check_reference(schema["$ref"], value, path);
    if (schema.contains("type") && !has_type(value, schema["type"])) complain(path, "is not " + schema["type"].dump());
    if (schema.contains("enum") && std::ranges::find(schema["enum"], value) == schema["enum"].end())
      complain(path, "is none of " + schema["enum"].dump());
    if (schema.contains("const") && value != schema["const"]) complain(path, "is not " + schema["const"].dump());
    if (schema.contains("pattern") && value.is_string() &&
        !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>())))
      complain(path, "does not match " + schema["pattern"].dump());
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) complain(path, "is too small");
    if (schema.contains("maximum") && value.is_number() && value > schema["maximum"]) complain(path, "is too large");
    if (schema.contains("oneOf")) check_one_of(schema["oneOf"], value, path);
    if (value.is_array()) check_array(schema, value, path);
    if (value.is_object()) check_object(schema, value, path);
  }

  std::vector<std::string> errors;

 private:
  void complain(const std::string& path, const std::string& what) { errors.push_back(path + " " + what); }

  static bool has_type(const json& value, const json& type) {
    if (type.is_array())
      return std::any_of(type.begin(), type.end(), [&](const json& each) { return has_type(value, each); });
    const std::string name = type;
    return (name == "object" && value.is_object()) || (name == "array" && value.is_array()) ||
           (name == "string" && value.is_string()) || (name == "boolean" && value.is_boolean()) ||
           (name == "integer" && value.is_number_integer()) || (name == "number" && value.is_number()) ||
           (name == "null" && value.is_null());
  }

  void check_reference(const std::string& reference, const json& value, const std::string& path) {
    const std::size_t hash = reference.find('#');
    const std::string file = hash == 0 ? file_ : reference.substr(0, hash);
    Validator other(file);
    other.check(schema_file(file).at(json::json_pointer(reference.substr(hash + 1))), value, path);
    errors.insert(errors.end(), other.errors.begin(), other.errors.end());
  }

  void check_one_of(const json& choices, const json& value, const std::string& path) {
    std::vector<std::string> reasons;
    int fitting = 0;
    for (const json& choice : choices) {
      Validator attempt(file_);
      attempt.check(choice, value, path);
      fitting += attempt.errors.empty() ? 1 : 0;
      reasons.insert(reasons.end(), attempt.errors.begin(), attempt.errors.end());
    }
    if (fitting == 1) return;
    complain(path, "fits " + std::to_string(fitting) + " of the choices");
    errors.insert(errors.end(), reasons.begin(), reasons.end());
  }

  void check_array(const json& schema, const json& value, const std::string& path) {
    if (schema.contains("minItems") && value.size() < schema["minItems"]) complain(path, "has too few items");
    if (schema.contains("maxItems") && value.size() > schema["maxItems"]) complain(path, "has too many items");
    if (!schema.contains("items")) return;
    for (std::size_t i = 0; i < value.size(); ++i) check(schema["items"], value[i], path + "/" + std::to_string(i));
  }

  void check_object(const json& schema, const json& value, const std::string& path) {
    if (schema.contains("required"))
      for (const json& key : schema["required"])
        if (!value.contains(key.get<std::string>())) complain(path, "lacks " + key.dump());
    for (const auto& [key, member] : value.items()) {
      if (schema.contains("properties") && schema["properties"].contains(key))
        check(schema["properties"][key], member, path + "/" + key);
      else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
        check(schema["additionalProperties"], member, path + "/" + key);
      else if (schema.contains("additionalProperties"))
        complain(path, "has an unknown member " + key);
    }
  }

  std::string file_;
};

}  // namespace

std::vector<std::string> schema_errors(const std::string& name, const json& value) {
  Validator validator(name + ".json");
  validator.check(schema_file(name + ".json"), value, "");
  return validator.errors;
}

}  // namespace mobula::test
