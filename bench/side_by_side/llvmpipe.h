// Mesa's software renderer, through OpenGL ES 3 and without a window. Whatever fails throws std::runtime_error.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace side_by_side {

/// While it lives, the functions of OpenGL ES work on it. One at a time.
class Llvmpipe {
 public:
  explicit Llvmpipe(unsigned threads);
  ~Llvmpipe();
  Llvmpipe(const Llvmpipe&) = delete;
  Llvmpipe& operator=(const Llvmpipe&) = delete;
  /// The renderer and its version, as it says itself.
  [[nodiscard]] std::string name() const;

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

using Numbers = std::vector<double>;
using Vec4 = std::array<float, 4>;

/// RGBA, 8 bits a component, square: the levels from the largest to 1 x 1.
struct GlTexture {
  std::uint32_t side = 0;
  std::vector<std::uint8_t> texels;
};

struct GlInputs {
  std::map<std::string, Numbers> uniforms;
  std::map<std::string, GlTexture> textures;
  /// Fragments: values at the left-top, right-top and left-bottom corner of the picture.
  std::map<std::string, std::array<Vec4, 3>> corners;
  /// Vertices.
  std::map<std::string, std::vector<Vec4>> attributes;
};

/// A square of pixels to draw on.
class GlFrame {
 public:
  explicit GlFrame(std::uint32_t side);
  ~GlFrame();
  GlFrame(const GlFrame&) = delete;
  GlFrame& operator=(const GlFrame&) = delete;

 private:
  std::uint32_t frame_ = 0, colours_ = 0;
};

/// A fragment shader over every pixel of a square picture.
class GlPicture {
 public:
  GlPicture(const std::string& fragment_shader, const GlInputs& inputs, std::uint32_t side);
  ~GlPicture();
  GlPicture(const GlPicture&) = delete;
  GlPicture& operator=(const GlPicture&) = delete;
  void clear();
  /// Draws, and waits until it is done.
  void draw();
  /// RGBA, 8 bits a component.
  void read(std::vector<std::uint8_t>& rgba);

 private:
  GlFrame frame_;
  std::uint32_t side_, program_, arrays_ = 0;
  std::vector<std::uint32_t> buffers_, textures_;
};

/// A vertex shader over vertices, of which only the outputs are kept.
class GlVertices {
 public:
  GlVertices(const std::string& vertex_shader, const GlInputs& inputs, const std::vector<std::string>& outputs,
             std::uint32_t count);
  ~GlVertices();
  GlVertices(const GlVertices&) = delete;
  GlVertices& operator=(const GlVertices&) = delete;
  void run();
  /// The outputs of all vertices, one vertex after the other; every output is a vec4.
  std::vector<float> read();

 private:
  GlFrame frame_{1};  // nothing is drawn on it, but without one nothing is done
  std::uint32_t count_, program_, arrays_ = 0, feedback_ = 0, captured_ = 0;
  std::size_t captured_floats_;
  std::vector<std::uint32_t> buffers_;
};

}  // namespace side_by_side
