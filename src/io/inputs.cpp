#include "io/inputs.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/counted.h"
#include "core/source.h"
#include "io/given_by_gl.h"
#include "io/mesh_inputs.h"
#include "io/storage_image.h"
#include "io/texture_inputs.h"
#include "io/values.h"

namespace mobula {
namespace {

using io::Json;
using io::JsonPlace;
using Base = io::GlslType::Base;

using PerThread = std::map<std::uint32_t, std::vector<RunVec4>>;

/// Whether an array is one value for each thread: an array of nothing but arrays.
bool is_per_thread(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& element) { return element.is_array(); });
}

/// Members that say nothing to programs of other stages.
struct MemberOfStage {
  std::string_view name;
  Stage stage;
};
constexpr std::array<MemberOfStage, 12> members_of_stages{{{"attributes", Stage::vertex},
                                                           {"mesh", Stage::vertex},
                                                           {"indices", Stage::vertex},
                                                           {"line_colour", Stage::vertex},
                                                           {"varyings", Stage::fragment},
                                                           {"corners", Stage::fragment},
                                                           {"quads", Stage::fragment},
                                                           {"tile", Stage::fragment},
                                                           {"tile_waits", Stage::fragment},
                                                           {"fragment_retries", Stage::fragment},
                                                           {"groups", Stage::compute},
                                                           {"local_size", Stage::compute}}};

class Reader {
 public:
  Reader(const JsonPlace& root, const Interface& interface, const FileReader& files, std::uint32_t storage_group)
      : root_(root), interface_(interface), files_(files), storage_group_(storage_group) {}

  RunInputs read() {
    if (!root_.value().is_object()) {
      root_.wrong("an object");
    } else if (root_.has("machine")) {
      root_.problems().add(Severity::error, "IN004", "this is the side file of a program, not the inputs of a run",
                           "docs/run-files.md says what inputs hold; --side names a side file");
    } else if (root_.has("storage")) {
      reference_case();
    } else {
      document(root_);
    }
    return std::move(inputs_);
  }

 private:
  void document(const JsonPlace& place) {
    place.only({"threads",       "quads",    "groups",   "local_size",  "attributes",
                "varyings",      "corners",  "uniforms", "ubos",        "uniform_registers",
                "system_values", "viewport", "buffers",  "memory",      "slots",
                "textures",      "samplers", "policies", "limits",      "fragment_retries",
                "tile_waits",    "mesh",     "indices",  "line_colour", "uniforms_vec4",
                "images",        "tile"});
    place.member("limits", [&](const JsonPlace& limits) { read_limits(limits); });
    place.member("mesh", [&](const JsonPlace& mesh) { read_mesh(mesh); });
    place.member("attributes", [&](const JsonPlace& list) { read_per_thread(list, inputs_.attributes); });
    place.member("indices", [&](const JsonPlace& list) { read_triangles(list); });
    place.member("line_colour", [&](const JsonPlace& name) { read_line_colour(name); });
    place.member("varyings", [&](const JsonPlace& list) { read_per_thread(list, inputs_.varyings); });
    place.member("corners", [&](const JsonPlace& list) { read_corners(list); });
    place.member("threads", [&](const JsonPlace& threads) { read_threads(threads); });
    place.member("quads", [&](const JsonPlace& flag) { flag.read(inputs_.quads); });
    place.member("ubos", [&](const JsonPlace& list) { read_ubos(list); });
    place.member("uniforms_vec4", [&](const JsonPlace& list) { read_uniform_memory(list); });
    place.member("uniforms", [&](const JsonPlace& list) { read_uniforms(list); });
    place.member("uniform_registers", [&](const JsonPlace& list) { read_registers(list); });
    place.member("system_values", [&](const JsonPlace& list) { read_system_values(list); });
    place.member("viewport", [&](const JsonPlace& viewport) { read_viewport(viewport); });
    place.member("groups", [&](const JsonPlace& groups) { read_counts(groups, inputs_.groups, 65535); });
    place.member("local_size", [&](const JsonPlace& size) { read_counts(size, inputs_.local_size.emplace(), 4096); });
    place.member("buffers", [&](const JsonPlace& list) { read_buffers(list); });
    place.member("memory", [&](const JsonPlace& list) { read_memory(list); });
    place.member("slots", [&](const JsonPlace& list) { read_slots(list); });
    place.member("images", [&](const JsonPlace& list) { read_images(list); });
    place.member("tile", [&](const JsonPlace& list) { read_tile(list); });
    place.member("textures", [&](const JsonPlace& list) { read_textures(list); });
    place.member("samplers", [&](const JsonPlace& list) { read_samplers(list); });
    place.member("policies", [&](const JsonPlace& list) { read_policies(list); });
    place.member("fragment_retries", [&](const JsonPlace& count) { count.read(inputs_.fragment_retries, 0, 65535); });
    place.member("tile_waits", [&](const JsonPlace& count) { count.read(inputs_.tile_waits, 0, 65535); });
    warn_of_other_stages(place);
    inputs_.threads = static_cast<std::uint32_t>(counted_);
    io::give_uniforms_of_gl(inputs_, interface_);
    if (has_errors(root_.problems().diagnostics)) return;  // what is given and wrong is not missing
    warn_of_missing_uniforms();
    warn_of_missing_blocks();
  }

  void warn_of_other_stages(const JsonPlace& document) {
    if (interface_.stage == Stage::unknown) return;
    for (const auto& [key, stage] : members_of_stages)
      if (stage != interface_.stage)
        document.member(key, [&](const JsonPlace& member) {
          member.warning("IN025", "has no effect, as this is a " + std::string(name(interface_.stage)) + " program",
                         "it is for " + std::string(name(stage)) + " programs");
        });
  }

  /// One case of a reference file: the images that its `storage` lists are the inputs, everything else is for
  /// comparison.
  void reference_case() {
    root_.only({"attributes", "uniforms", "outputs", "storage", "storage_group"});
    std::uint32_t group = storage_group_;
    root_.member("storage_group", [&](const JsonPlace& number) { number.read(group); });
    root_.member("storage", [&](const JsonPlace& list) {
      if (!list.value().is_array() || group >= list.value().size()) {
        return list.wrong("an array with an element for storage group " + std::to_string(group));
      }
      const JsonPlace storage(list, std::size_t{group}, list.value()[group]);
      storage.only({"attributes", "varyings", "ubos", "uniform_registers", "textures", "expected_r0",
                    "expected_discard", "expected_varying_stores", "expected_stores", "position_skipped",
                    "uniforms_vec4"});
      storage.member("attributes", [&](const JsonPlace& map) { read_per_thread(map, inputs_.attributes); });
      storage.member("varyings", [&](const JsonPlace& map) { read_per_thread(map, inputs_.varyings); });
      storage.member("ubos", [&](const JsonPlace& map) { read_ubos(map); });
      storage.member("uniforms_vec4", [&](const JsonPlace& list_of) { read_uniform_memory(list_of); });
      storage.member("uniform_registers", [&](const JsonPlace& map) { read_registers(map); });
      storage.member("textures", [&](const JsonPlace& map) { read_textures(map); });
    });
    // The fragment that references describe; see the README of the reference files.
    if (interface_.stage != Stage::vertex) inputs_.identities = {Thread{.x = 1.5f, .y = 2.5f}};
  }

  // ---- names and numbers

  [[nodiscard]] Base base(Base declared) const { return io::base_of(interface_, declared); }
  io::Named find_input(const JsonPlace& place, std::string_view key) {
    io::Named named = find_named(place, key, interface_.inputs);
    named.base = base(named.base);
    return named;
  }

  // ---- threads

  /// Writes one value into the components it belongs to, for one thread or for all there is room for.
  static void put(const io::Named& named, const RunWords& words, PerThread& out,
                  std::optional<std::size_t> thread = {}) {
    for (std::size_t i = 0; i < words.size() && i < named.components.size(); ++i) {
      const io::Component at = named.components[i];
      std::vector<RunVec4>& values = out[at.slot];
      const std::size_t first = thread.value_or(0), last = thread ? *thread + 1 : values.size();
      for (std::size_t each = first; each < last && each < values.size(); ++each) values[each][at.component] = words[i];
    }
  }
  /// Makes room for `threads` values in every slot of the name, repeating a single one.
  void grow(const JsonPlace& place, const io::Named& named, PerThread& out, std::size_t threads) {
    for (const io::Component at : named.components) {
      std::vector<RunVec4>& values = out[at.slot];
      if (values.size() >= threads || !grant(place, (threads - values.size()) * sizeof(RunVec4))) continue;
      const RunVec4 value = values.empty() ? io::default_vector(named.base) : values[0];
      values.resize(threads, value);
    }
  }
  /// Whether this much more memory is within the limit.
  bool grant(const JsonPlace& place, std::uint64_t bytes) {
    granted_ += bytes;
    if (granted_ <= inputs_.limits.memory_bytes) return true;
    place.error("IN008",
                "needs more memory than limits.memory_bytes allows: " + std::to_string(inputs_.limits.memory_bytes));
    return false;
  }
  RunWords value_of(const JsonPlace& place, const io::Named& named) {
    RunWords words;
    read_words(place, named.base, words);
    if (words.size() > named.components.size()) {
      place.error("IN007", "has " + counted(words.size(), "value") + "; at most " +
                               std::to_string(named.components.size()) + " fit");
    }
    return words;
  }

  void read_per_thread(const JsonPlace& list, PerThread& out) {
    read_per_thread(list, out, [&](const JsonPlace& place, std::string_view key) { return find_input(place, key); });
  }
  template <class Find>
  void read_per_thread(const JsonPlace& list, PerThread& out, Find find) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const io::Named named = find(place, key);
      if (named.components.empty()) return;
      if (!is_per_thread(place.value())) {
        grow(place, named, out, 1);
        const RunWords words = value_of(place, named);
        if (spans_slots(named) && words.size() < named.components.size())
          place.error(
              "IN007",
              "has " + counted(words.size(), "value") + "; " + std::to_string(named.components.size()) + " are needed",
              "of a matrix or an array all are given, or by their index some");
        return put(named, words, out);
      }
      const std::size_t count = place.value().size();
      if (!thread_count_fits(place, count)) return;
      grow(place, named, out, count);
      std::size_t thread = 0;
      place.elements([&](const JsonPlace& value) {
        const RunWords words = value_of(value, named);
        if (spans_slots(named) && words.size() < named.components.size())
          value.error(
              "IN007",
              "has " + counted(words.size(), "value") + " of the " + std::to_string(named.components.size()) +
                  " that a thread needs",
              "an array of arrays has one element for each thread; for all threads write the numbers in one array");
        put(named, words, out, thread++);
      });
    });
  }
  /// A matrix or an array, whose own nesting looks like one value for each thread.
  static bool spans_slots(const io::Named& named) {
    return named.components.front().slot != named.components.back().slot;
  }

  bool thread_count_fits(const JsonPlace& place, std::size_t count) {
    if (count > inputs_.limits.threads) {
      place.error("IN008", "is for " + counted(count, "thread") + "; limits.threads allows " +
                               std::to_string(inputs_.limits.threads));
      return false;
    }
    if (counted_ > 1 && count != 1 && count != counted_) {
      place.error("IN009",
                  "is for " + counted(count, "thread") + ", but earlier members are for " + std::to_string(counted_));
      return false;
    }
    counted_ = std::max(counted_, count);
    return true;
  }

  void read_threads(const JsonPlace& place) {
    if (!place.value().is_array()) {
      if (const auto count = place.unsigned_integer(1)) {
        if (thread_count_fits(place, static_cast<std::size_t>(*count))) counted_ = static_cast<std::size_t>(*count);
      }
      return;
    }
    const std::size_t count = place.value().size();
    if (count == 0) return place.wrong("a number, or an array with an element for each thread");
    if (!thread_count_fits(place, count)) return;
    std::size_t index = 0;
    place.elements([&](const JsonPlace& element) { read_thread(element, index++, count); });
  }

  void read_thread(const JsonPlace& place, std::size_t index, std::size_t count) {
    place.only({"vertex", "instance", "x", "y", "attributes", "varyings"});
    if (place.has("vertex") || place.has("instance") || place.has("x") || place.has("y")) {
      if (inputs_.identities.empty()) {
        inputs_.identities.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) inputs_.identities[i] = {.vertex = i, .x = 0.5f, .y = 0.5f};
      }
      Thread& thread = inputs_.identities[index];
      place.member("vertex", [&](const JsonPlace& number) { number.read(thread.vertex); });
      place.member("instance", [&](const JsonPlace& number) { number.read(thread.instance); });
      place.member("x", [&](const JsonPlace& number) { number.read(thread.x); });
      place.member("y", [&](const JsonPlace& number) { number.read(thread.y); });
    }
    const auto override_values = [&](std::string_view key, PerThread& out) {
      place.member(key, [&](const JsonPlace& list) {
        list.members([&](std::string_view name, const JsonPlace& value) {
          const io::Named named = find_input(value, name);
          if (named.components.empty()) return;
          grow(value, named, out, count);
          put(named, value_of(value, named), out, index);
        });
      });
    };
    override_values("attributes", inputs_.attributes);
    override_values("varyings", inputs_.varyings);
  }

  void read_corners(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const io::Named named = find_input(place, key);
      if (named.components.empty()) return;
      if (!is_per_thread(place.value()) || place.value().size() != 4) {
        return place.wrong("four arrays: the values at the top left, top right, bottom left and bottom right");
      }
      PerThread values;
      grow(place, named, values, 4);
      std::size_t corner = 0;
      place.elements([&](const JsonPlace& value) { put(named, value_of(value, named), values, corner++); });
      for (const io::Component at : named.components) {
        const RunVec4 empty = io::default_vector(named.base);
        auto& out = inputs_.corners.try_emplace(at.slot, std::array{empty, empty, empty, empty}).first->second;
        for (std::size_t i = 0; i < 4; ++i) out[i][at.component] = values[at.slot][i][at.component];
      }
    });
  }

  // ---- meshes

  void read_mesh(const JsonPlace& place) {
    if (place.value().is_string()) return read_mesh_file(place, place);
    if (!place.value().is_object()) return place.wrong("the name of a file, or an object with file");
    place.only({"file", "position", "normal", "texcoord", "colour"});
    if (!place.has("file")) return place.wrong("an object with file");
    place.member("file", [&](const JsonPlace& file) { read_mesh_file(file, place); });
  }

  void read_mesh_file(const JsonPlace& file, const JsonPlace& place) {
    std::string name;
    file.read(name);
    if (name.empty()) return;
    const auto bytes = files_(name);
    const auto mesh = bytes ? io::read_obj({name, {reinterpret_cast<const char*>(bytes->data()), bytes->size()}})
                            : Result<io::Mesh>(fail(bytes.error()));
    if (!mesh) {
      for (const Diagnostic& error : mesh.error()) place.problems().diagnostics.push_back(error);
      return;
    }
    if (!thread_count_fits(file, mesh->vertices())) return;
    inputs_.triangles = mesh->triangles;
    for (std::size_t i = 0; i < io::mesh_data_count; ++i) feed_mesh(place, *mesh, static_cast<io::MeshData>(i));
  }

  /// Gives one kind of the mesh's data to the attribute that the document names, or that is meant for it.
  void feed_mesh(const JsonPlace& place, const io::Mesh& mesh, io::MeshData data) {
    const io::Mesh::Values& values = mesh.of(data);
    std::string input = values.components == 0 ? std::string() : io::input_for(data, interface_);
    place.member(io::name(data), [&](const JsonPlace& name) {
      name.read(input);
      if (values.components == 0)
        name.error("IN017", "the mesh has no " + std::string(io::name(data)), "give the attribute under attributes");
    });
    if (input.empty() || values.components == 0) return;
    const io::Named named = find_input(place, input);
    grow(place, named, inputs_.attributes, values.values.size());
    for (std::size_t vertex = 0; vertex < values.values.size(); ++vertex)
      put(named, RunWords(values.values[vertex].begin(), values.values[vertex].begin() + values.components),
          inputs_.attributes, vertex);
  }

  /// Numbers of vertices, three for each triangle; nested lists are allowed.
  void read_triangles(const JsonPlace& list) {
    RunWords words;
    read_words(list, Base::u32, words);
    if (words.empty() || words.size() % 3 != 0) return list.wrong("three numbers for each triangle");
    inputs_.triangles.clear();
    for (std::size_t at = 0; at < words.size(); at += 3)
      inputs_.triangles.push_back({words[at], words[at + 1], words[at + 2]});
  }

  void read_line_colour(const JsonPlace& place) {
    std::string name;
    place.read(name);
    if (!name.empty()) inputs_.line_colour = find_number(place, name, interface_.outputs);
  }

  // ---- uniforms

  void read_ubos(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const auto number = find_number(place, key, interface_.ubo_blocks);
      if (!number) return;
      if (!is_filled_apart(*number)) warn_of_no_block(place, *number, interface_.ubo_blocks);
      read_block(place, io::find_variable(interface_.ubo_blocks, *number), inputs_.uniform_buffers[*number]);
    });
  }
  /// Buffers of no block: of uniforms, of system values, and those that registers are filled from.
  bool is_filled_apart(std::uint32_t number) const {
    return number == 0 || number == interface_.ubo_count ||
           std::ranges::find(interface_.push, number, &PushWord::ubo) != interface_.push.end();
  }
  static void warn_of_no_block(const JsonPlace& place, std::uint32_t number, const std::vector<Variable>& blocks) {
    if (blocks.empty() || io::find_variable(blocks, number) != nullptr) return;
    std::string numbers;
    for (const Variable& block : blocks)
      if (block.driver_location >= 0)
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(block.driver_location) + " is " + block.name;
    place.warning("IN023", "no block of the program has this number; " + numbers, "name the block");
  }

  /// A list of its words from the start, or an object of its members.
  void read_block(const JsonPlace& place, const Variable* block, RunWords& words) {
    if (!names_members(place, block)) return io::read_words(place, io::BlockWords(interface_, block), words);
    words.resize(io::closed_words(*block));
    read_members(place, *block, "", words);
    const std::size_t whole = io::whole_elements(*block, words.size());
    if (grant(place, 4 * (whole - words.size()))) words.resize(whole);
  }
  /// Members may be called what otherwise says what a value is.
  static bool names_members(const JsonPlace& place, const Variable* block) {
    if (block == nullptr || block->members.empty() || !place.value().is_object()) return false;
    const bool is_value = io::says_type(place) || is_length(place);
    return !is_value ||
           std::ranges::any_of(block->members, [&](const BlockMember& each) { return place.has(each.name); });
  }
  static bool is_length(const JsonPlace& place) { return place.has("words") && place.value().size() == 1; }
  /// Members of structures may stand in an object of their own.
  void read_members(const JsonPlace& list, const Variable& block, const std::string& before, RunWords& words) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const std::string name = before + std::string(key);
      const auto found = std::ranges::find(block.members, name, &BlockMember::name);
      if (found != block.members.end()) return read_member(place, *found, words);
      if (const auto element = io::element_of(block, name)) return read_member(place, *element, words);
      if (place.value().is_object()) return read_members(place, block, name + '.', words);
      std::vector<Variable> members;
      for (const BlockMember& member : block.members) members.push_back({.name = member.name, .type = member.type});
      io::unknown_name(place, name, members, io::Numbers::refused);
    });
  }
  void read_member(const JsonPlace& place, const BlockMember& member, RunWords& words) {
    const io::GlslType type = io::parse_glsl_type(member.type);
    RunWords value;
    io::read_words(place, type.base, value);
    if (const auto room = type.words(); room && value.size() > *room)
      return place.error("IN007", "has " + counted(value.size(), "value") + "; " + member.name + " has room for " +
                                      std::to_string(*room));
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::uint64_t word = io::word_of(member, type, i);
      if (word >= words.size()) {
        if (!grant(place, 4 * (word + 1 - words.size()))) return;
        words.resize(static_cast<std::size_t>(word) + 1);
      }
      words[word] = value[i];
    }
  }

  /// Uniform buffer 0 as a list of vec4s.
  void read_uniform_memory(const JsonPlace& list) {
    RunWords& words = inputs_.uniform_buffers[0];
    words.clear();
    list.elements([&](const JsonPlace& place) {
      const RunVec4 vector = read_vector(place, base(Base::f32));
      words.insert(words.end(), vector.begin(), vector.end());
    });
  }

  void read_uniforms(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const auto found = std::find_if(interface_.uniforms.begin(), interface_.uniforms.end(),
                                      [&](const Variable& variable) { return variable.name == key; });
      if (found == interface_.uniforms.end()) {
        if (io::is_unread(key.substr(0, key.rfind('[')), interface_.uniforms)) return;
        const std::optional<Variable> element = io::uniform_in(interface_, key);
        return element ? read_uniform(place, *element) : read_elements(place, key);
      }
      if (!io::is_unread(key, interface_.uniforms)) read_uniform(place, *found);
    });
  }

  void read_uniform(const JsonPlace& place, const Variable& uniform) {
    const io::GlslType type = io::parse_glsl_type(uniform.type);
    constexpr std::int32_t word_limit = 1 << 20;
    const bool is_image = uniform.type.find("image") != std::string::npos;
    if (type.base == Base::sampler || is_image || uniform.driver_location > word_limit)
      return place.error("IN010", "is a " + uniform.type + " and has no value in a uniform buffer",
                         is_image ? "give it under images" : "give it under textures");
    RunWords words;
    read_words(place, base(type.base), words);
    const auto room = type.words();
    if (room && words.size() > *room)
      return place.error(
          "IN007", "has " + counted(words.size(), "value") + "; a " + uniform.type + " has " + std::to_string(*room));
    for (UniformWords& part : io::placed(interface_, uniform, std::move(words)))
      inputs_.uniforms.push_back(std::move(part));
  }

  /// A uniform whose elements have words apart.
  void read_elements(const JsonPlace& place, std::string_view key) {
    const std::vector<const Variable*> elements = io::elements_of(key, interface_.uniforms);
    if (elements.empty()) return unknown_name(place, key, interface_.uniforms, io::Numbers::refused);
    RunWords words;
    read_words(place, base(io::parse_glsl_type(elements.front()->type).base), words);
    const std::size_t count = words.size(), room = io::room_in(elements);
    if (count > room)
      return place.error("IN007", "has " + counted(count, "value") + "; at most " + std::to_string(room) + " fit");
    for (UniformWords& part : io::placed(interface_, elements, words)) inputs_.uniforms.push_back(std::move(part));
  }

  /// IN016 for each uniform that nothing gives, or not all of; those that every run has apart.
  void warn_of_missing_uniforms() {
    if (inputs_.uniform_buffers.contains(0) || !inputs_.uniform_registers.empty()) return;
    const std::set<std::uint32_t> given = given_words();
    for (const Variable& uniform : interface_.uniforms) {
      const bool is_image = uniform.type.find("image") != std::string::npos;
      if (uniform.driver_location < 0 || is_image || io::parse_glsl_type(uniform.type).base == Base::sampler) continue;
      const std::vector<std::uint32_t> words = words_of(uniform);
      const auto present = std::ranges::count_if(words, [&](std::uint32_t word) { return given.contains(word); });
      if (static_cast<std::size_t>(present) == words.size()) continue;
      const std::string what = present == 0 ? "no uniform " + uniform.name + "; it is 0"
                                            : std::to_string(present) + " of the " + std::to_string(words.size()) +
                                                  " numbers of uniform " + uniform.name + "; the rest is 0";
      root_.problems().add(Severity::warning, "IN016", "the inputs give " + what, "give it under uniforms");
      if (root_.problems().full()) return;
    }
  }
  /// IN016 for each uniform block that nothing gives. Drivers list the uniforms as a block, too, of buffer 0.
  void warn_of_missing_blocks() {
    if (!inputs_.uniform_registers.empty()) return;
    for (const Variable& block : interface_.ubo_blocks) {
      const bool of_uniforms = block.driver_location == 0 && !interface_.uniforms.empty();
      const bool is_read = block.driver_location >= 0;
      if (of_uniforms || !is_read ||
          inputs_.uniform_buffers.contains(static_cast<std::uint32_t>(block.driver_location)))
        continue;
      root_.problems().add(Severity::warning, "IN016", "the inputs give no uniform block " + block.name + "; it is 0",
                           "give it under ubos");
      if (root_.problems().full()) return;
    }
  }
  /// Words of buffer 0.
  std::set<std::uint32_t> given_words() const {
    std::set<std::uint32_t> given;
    for (const UniformConstant& constant : interface_.constants) given.insert(constant.word);
    const auto give = [&given](std::uint32_t first, std::size_t count) {
      for (std::uint32_t i = 0; i < count; ++i) given.insert(first + i);
    };
    for (const UniformWords& uniform : inputs_.uniforms) give(uniform.first, uniform.values.size());
    if (interface_.viewport_vec4) give(4 * *interface_.viewport_vec4, 8);
    return given;
  }
  /// Of a uniform in buffer 0; of one that is not understood, a vec4.
  std::vector<std::uint32_t> words_of(const Variable& uniform) const {
    constexpr std::uint64_t most = 1 << 14;
    const io::GlslType type = io::parse_glsl_type(uniform.type);
    const std::size_t column = type.base == Base::other ? 4 : type.rows;
    RunWords zeros(static_cast<std::size_t>(std::min(type.words().value_or(column), most)));
    std::vector<std::uint32_t> words;
    for (const UniformWords& part : io::placed(interface_, uniform, std::move(zeros)))
      for (std::uint32_t i = 0; i < part.values.size(); ++i) words.push_back(part.first + i);
    return words;
  }

  /// Up to four words.
  RunVec4 read_vector(const JsonPlace& place, Base base) {
    RunWords words;
    read_words(place, base, words);
    if (words.size() > 4) place.error("IN007", "has " + counted(words.size(), "value") + "; at most 4 fit");
    RunVec4 result{};
    std::copy_n(words.begin(), std::min<std::size_t>(words.size(), 4), result.begin());
    return result;
  }

  void read_registers(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const auto number = io::parse_number(key.starts_with('r') ? key.substr(1) : key);
      if (!number) return place.error("IN011", "not a register; allowed: r and a number, such as r23");
      inputs_.uniform_registers[*number] = read_vector(place, Base::f32);
    });
  }

  void read_system_values(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const auto index = io::parse_number(key);
      if (!index || *index >= interface_.system_values.size()) {
        return place.error("IN012", "no such system value; the program has " +
                                        std::to_string(interface_.system_values.size()) + ", numbered from 0");
      }
      inputs_.system_values[*index] = read_vector(place, Base::f32);
    });
  }

  void read_viewport(const JsonPlace& place) {
    place.only({"scale", "offset"});
    const auto read_three = [&](std::string_view key, std::array<float, 3>& out) {
      place.member(key, [&](const JsonPlace& list) {
        if (!list.value().is_array() || list.value().size() != 3) return list.wrong("three numbers");
        for (std::size_t i = 0; i < 3; ++i) JsonPlace(list, i, list.value()[i]).read(out[i]);
      });
    };
    Viewport& viewport = inputs_.viewport.emplace();
    read_three("scale", viewport.scale);
    read_three("offset", viewport.offset);
  }

  // ---- memory

  void read_counts(const JsonPlace& place, std::array<std::uint32_t, 3>& out, std::uint32_t most) {
    out = {1, 1, 1};
    if (!place.value().is_array() || place.value().empty() || place.value().size() > 3) {
      return place.wrong("one to three numbers");
    }
    for (std::size_t i = 0; i < place.value().size(); ++i) JsonPlace(place, i, place.value()[i]).read(out[i], 1, most);
  }

  /// Compilers name the buffer of atomic counters by its binding, counter0, and drop the counters' own names. So a name
  /// that is like no block's means the only such buffer.
  std::optional<std::uint32_t> find_buffer(const JsonPlace& place, std::string_view key) {
    Nearest nearest(key);
    const Variable* counters = nullptr;
    std::size_t count = 0;
    for (const Variable& block : interface_.ssbo_blocks) {
      nearest.offer(block.name);
      const std::string_view name = block.name;
      if (!name.starts_with("counter") || !io::parse_number(name.substr(7)) || block.driver_location < 0) continue;
      counters = &block;
      ++count;
    }
    if (count != 1 || !nearest.best().empty() || io::parse_number(key))
      return find_number(place, key, interface_.ssbo_blocks);
    place.warning("IN020", "assumed to be " + counters->name + ", the only buffer of atomic counters",
                  "compilers do not keep the names of counters; write " + counters->name);
    return static_cast<std::uint32_t>(counters->driver_location);
  }

  void read_buffers(const JsonPlace& list) {
    if (list.has("groups")) return read_reference_buffers(list);
    list.members([&](std::string_view key, const JsonPlace& place) {
      const auto number = find_buffer(place, key);
      if (!number) return;
      RunWords& words = inputs_.buffers[*number];
      warn_of_no_block(place, *number, interface_.ssbo_blocks);
      const Variable* const block = io::find_variable(interface_.ssbo_blocks, *number);
      if (!is_length(place) || names_members(place, block)) return read_block(place, block, words);
      place.member("words", [&](const JsonPlace& count) {  // zeros
        const std::uint64_t size = count.unsigned_integer().value_or(0);
        if (grant(count, size * 4)) words.resize(static_cast<std::size_t>(size));
      });
    });
  }

  /// `buffers` of a reference case: the inputs are a and b, the rest holds what a run leaves, and starts as zero.
  void read_reference_buffers(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      if (key == "groups") return read_counts(place, inputs_.groups, 65535);
      const Variable* const block = io::find_reference_buffer(interface_, key);
      if (block == nullptr) return;
      RunWords words;
      read_words(place, io::base_of(interface_, block), words);
      if (key != "a" && key != "b") std::fill(words.begin(), words.end(), 0);
      inputs_.buffers[static_cast<std::uint32_t>(block->driver_location)] = std::move(words);
    });
  }

  void read_memory(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const auto address = key.starts_with("0x") ? io::parse_hex(key) : std::nullopt;
      if (!address) return place.error("IN013", "not an address; allowed: 0x and hexadecimal digits");
      expect_bits(place);
      RunWords words;
      read_words(place, Base::u32, words);
      MemoryRegion region{.address = *address, .bytes = {}};
      region.bytes.reserve(words.size() * 4);
      for (const std::uint32_t word : words) {
        for (int shift = 0; shift < 32; shift += 8) region.bytes.push_back(static_cast<std::uint8_t>(word >> shift));
      }
      inputs_.memory.push_back(std::move(region));
    });
  }

  /// Nothing says what the words of memory are, so that 1.0 may be meant as a float or as an integer.
  static void expect_bits(const JsonPlace& place) {
    if (place.value().is_array()) return place.elements([](const JsonPlace& element) { expect_bits(element); });
    if (place.value().is_number_float())
      place.error("IN019", "has a point or an exponent, and words of memory have no type",
                  R"(write {"f32": [...]} for floats, and integers without a point)");
  }

  /// An image that no memory is given for starts with zeros.
  void read_images(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const auto number = find_number(place, key, io::images_of(interface_));
      const auto image = io::read_storage_image(place);
      if (!number || !image) return;
      inputs_.images[*number] = std::make_shared<io::StorageImage>(*image);
      const bool given = std::any_of(inputs_.memory.begin(), inputs_.memory.end(), [&](const MemoryRegion& region) {
        return image->address - region.address < region.bytes.size();
      });
      if (given || !grant(place, image->bytes())) return;
      std::vector<std::uint8_t> zeros(static_cast<std::size_t>(image->bytes()));
      inputs_.memory.push_back({image->address, std::move(zeros)});
    });
  }

  void read_tile(const JsonPlace& list) {
    constexpr std::uint32_t depth = 31, stencil = 30, targets = 8;  // see RunInputs::tile
    read_per_thread(list, inputs_.tile, [&](const JsonPlace& place, std::string_view key) {
      auto target = io::parse_number(key);
      const bool scalar = key == "depth" || key == "stencil";
      if (scalar) {
        target = key == "depth" ? depth : stencil;
      } else if (!target || *target >= targets) {
        place.error("IN011", "not a part of the tile buffer; allowed: render targets 0 to 7, depth, stencil");
        return io::Named{};
      }
      io::Named named{.base = target == stencil ? Base::u32 : Base::f32};
      for (std::uint32_t i = 0; i < (scalar ? 1u : 4u); ++i) named.components.push_back({*target, i});
      return named;
    });
  }

  void read_slots(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      RunWords words;
      if (place.value().is_number_integer() && place.value() != 0)
        return place.error("IN019", "may be a float or the bits of a register",
                           R"(write 1.0 for the float, "1" or {"u32": 1} for the bits)");
      read_words(place, Base::f32, words);
      if (words.size() != 1) return place.wrong("one value");
      inputs_.slots[std::string(key)] = words[0];
    });
  }

  // ---- the rest

  void read_textures(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const auto number = find_number(place, key, io::samplers_of(interface_));
      if (!number) return;
      auto described = read_texture(place, files_);
      if (described.texture) inputs_.textures[*number] = std::move(described.texture);
      if (described.sampler) inputs_.samplers[*number] = std::move(described.sampler);
    });
  }
  void read_samplers(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      const auto number = find_number(place, key, io::samplers_of(interface_));
      if (number) inputs_.samplers[*number] = std::make_shared<io::Sampler>(io::read_sampler(place));
    });
  }

  void read_policies(const JsonPlace& list) {
    list.members([&](std::string_view key, const JsonPlace& place) {
      place.read(inputs_.policies.try_emplace(std::string(key)).first->second);
    });
  }

  void read_limits(const JsonPlace& place) {
    place.only({"steps", "all_steps", "memory_bytes", "threads"});
    place.member("steps", [&](const JsonPlace& number) {
      inputs_.limits.steps = number.unsigned_integer(1, std::uint64_t{1} << 40).value_or(1);
    });
    place.member("all_steps", [&](const JsonPlace& number) {
      inputs_.limits.all_steps = number.unsigned_integer(1, std::uint64_t{1} << 60).value_or(1);
    });
    place.member("memory_bytes", [&](const JsonPlace& number) {
      inputs_.limits.memory_bytes = number.unsigned_integer(0, std::uint64_t{1} << 36).value_or(0);
    });
    place.member("threads", [&](const JsonPlace& number) { number.read(inputs_.limits.threads, 1, 1u << 28); });
  }

  const JsonPlace& root_;
  const Interface& interface_;
  const FileReader& files_;
  std::uint32_t storage_group_;
  RunInputs inputs_;
  std::size_t counted_ = 1;    // threads that per-thread values are for
  std::uint64_t granted_ = 0;  // bytes of values that are larger than their text
};

}  // namespace

namespace io {
namespace {

/// Those for which it holds, and the elements of arrays by names of their own: "shades[1]".
template <class Holds>
std::vector<Variable> uniforms_that(const Interface& interface, Holds holds) {
  std::vector<Variable> found;
  for (const Variable& variable : interface.uniforms) {
    if (!holds(variable)) continue;
    found.push_back(variable);
    const bool is_array = variable.type.ends_with(']') && variable.driver_location >= 0;
    constexpr std::uint32_t most = 256;  // numbers of machines have fewer bits
    const std::uint32_t length = is_array ? std::min(parse_glsl_type(variable.type).length.value_or(0), most) : 0;
    for (std::uint32_t i = 0; i < length; ++i) {
      Variable& element = found.emplace_back(variable);
      element.name += '[' + std::to_string(i) + ']';
      element.driver_location += static_cast<std::int32_t>(i);
    }
  }
  return found;
}

}  // namespace

RunInputs read_inputs(const JsonPlace& place, const Interface& interface, const FileReader& files,
                      std::uint32_t storage_group) {
  return Reader(place, interface, files, storage_group).read();
}

std::vector<Variable> samplers_of(const Interface& interface) {
  return uniforms_that(interface,
                       [](const Variable& variable) { return parse_glsl_type(variable.type).base == Base::sampler; });
}

std::vector<Variable> images_of(const Interface& interface) {
  return uniforms_that(interface,
                       [](const Variable& variable) { return variable.type.find("image") != std::string::npos; });
}

const Variable* find_reference_buffer(const Interface& interface, std::string_view name) {
  const std::vector<Variable>& blocks = interface.ssbo_blocks;
  const auto named = [&](std::string_view wanted) {
    return std::find_if(blocks.begin(), blocks.end(), [&](const Variable& block) { return block.name == wanted; });
  };
  auto found = named(name);
  if (found == blocks.end() && name == "cnt0") found = named("counter0");
  return found == blocks.end() || found->driver_location < 0 ? nullptr : &*found;
}

}  // namespace io

namespace {

/// Inputs that are nothing but a mesh.
Result<RunInputs> read_mesh_alone(const SourceText& source, const Interface& interface) {
  io::JsonProblems problems{.file = std::string(source.file), .diagnostics = {}};
  const Json document{{"mesh", "mesh"}};
  const auto text = [&](const std::string&) -> Result<std::vector<std::uint8_t>> {
    return std::vector<std::uint8_t>(source.text.begin(), source.text.end());
  };
  RunInputs inputs = io::read_inputs(JsonPlace(document, problems), interface, text, 0);
  for (Diagnostic& problem : problems.diagnostics)
    if (problem.where.line != 0) problem.where.file = source.file;
  if (has_errors(problems.diagnostics)) return fail(std::move(problems.diagnostics));
  inputs.warnings = std::move(problems.diagnostics);
  return inputs;
}

}  // namespace

Result<RunInputs> read_run_inputs(const SourceText& source, const Interface& interface, const FileReader& files) {
  if (source.file.ends_with(".obj")) return read_mesh_alone(source, interface);
  const auto document = io::parse_json(source);
  if (!document) return fail(document.error());
  io::JsonProblems problems{.file = std::string(source.file), .diagnostics = {}};
  const JsonPlace root(*document, problems);
  const FileReader no_files = [](const std::string& name) -> Result<std::vector<std::uint8_t>> {
    return fail("IN018", "the file " + name + " cannot be read: the caller gave no function that reads files");
  };
  RunInputs inputs = io::read_inputs(root, interface, files ? files : no_files, 0);
  if (has_errors(problems.diagnostics)) return fail(std::move(problems.diagnostics));
  inputs.warnings = std::move(problems.diagnostics);
  return inputs;
}

}  // namespace mobula
