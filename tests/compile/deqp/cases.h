// Shader cases in the format of dEQP's data files, of OpenGL ES 2 and 3: what a shader gets, what it must give, and
// which must be refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mobula::test::deqp {

struct Value {
  enum class Storage : unsigned char { input, uniform, output };
  Storage storage = Storage::input;
  std::string type, name;
  std::vector<std::vector<double>> rows;  ///< numbers of each row: vectors and matrices component by component
};
using Block = std::vector<Value>;  ///< empty: the shader only has to compile

struct Case {
  std::string name;  ///< with its groups: "swizzles.vector_swizzles.x"
  std::vector<Block> blocks;
  std::string expect = "pass";
  std::string requires_what;
  std::string both, vertex, fragment;
};

/// All cases of a file. Its name is the first part of theirs.
std::vector<Case> read_cases(std::string_view name, std::string_view text);

/// A text with what stands for declarations, set-up and output filled in, as one of the stages.
std::string vertex_text(const std::string& text, const Block& block);
std::string fragment_text(const std::string& text, const Block& block);
/// Where fragment_text() puts an output: its first colour. Vertex shaders have it as this varying.
unsigned first_colour(const Block& block, const Value& output);
/// What a text of this version calls it: "gl_FragData[1]", "dEQP_colour1".
std::string colour_name(const std::string& text, unsigned number);
std::string varying_name(const Value& value);
std::string attribute_name(const Value& value);
/// Columns of a matrix, 1 of others; and numbers in one.
unsigned columns(const std::string& type);
unsigned rows(const std::string& type);

}  // namespace mobula::test::deqp
