#include "llvmpipe.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace side_by_side {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

GLuint compiled(GLenum stage, const std::string& text) {
  const GLuint shader = glCreateShader(stage);
  const char* const begin = text.c_str();
  glShaderSource(shader, 1, &begin, nullptr);
  glCompileShader(shader);
  GLint is_good = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
  if (is_good != 0) return shader;
  std::array<char, 2000> log{};
  glGetShaderInfoLog(shader, log.size(), nullptr, log.data());
  fail(fmt::format("{}\n{}", log.data(), text));
}

GLuint linked(const std::string& vertex, const std::string& fragment, const std::vector<std::string>& captured = {}) {
  const GLuint program = glCreateProgram();
  glAttachShader(program, compiled(GL_VERTEX_SHADER, vertex));
  glAttachShader(program, compiled(GL_FRAGMENT_SHADER, fragment));
  std::vector<const char*> names;
  for (const std::string& name : captured) names.push_back(name.c_str());
  if (!names.empty())
    glTransformFeedbackVaryings(program, static_cast<GLsizei>(names.size()), names.data(), GL_INTERLEAVED_ATTRIBS);
  glLinkProgram(program);
  GLint is_good = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &is_good);
  if (is_good != 0) return program;
  std::array<char, 2000> log{};
  glGetProgramInfoLog(program, log.size(), nullptr, log.data());
  fail(fmt::format("{}\n{}", log.data(), fragment));
}

/// "u[0]" is named "u".
std::string without_index(const std::string& name) { return name.substr(0, name.find('[')); }

void set_uniform(GLint place, GLenum type, GLsizei count, const Numbers& numbers) {
  const std::vector<float> floats(numbers.begin(), numbers.end());
  const std::vector<GLint> integers(numbers.begin(), numbers.end());
  switch (type) {
    case GL_FLOAT:
      return glUniform1fv(place, count, floats.data());
    case GL_FLOAT_VEC2:
      return glUniform2fv(place, count, floats.data());
    case GL_FLOAT_VEC3:
      return glUniform3fv(place, count, floats.data());
    case GL_FLOAT_VEC4:
      return glUniform4fv(place, count, floats.data());
    case GL_FLOAT_MAT3:
      return glUniformMatrix3fv(place, count, GL_FALSE, floats.data());
    case GL_FLOAT_MAT4:
      return glUniformMatrix4fv(place, count, GL_FALSE, floats.data());
    case GL_INT:
      return glUniform1iv(place, count, integers.data());
    default:
      fail(fmt::format("uniforms of type {:#x} are not provided for", type));
  }
}

GLuint texture_of(const GlTexture& texture, GLint unit) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_2D, name);
  const std::uint8_t* texels = texture.texels.data();
  GLint level = 0;
  for (std::uint32_t side = texture.side; side != 0; side /= 2, ++level) {
    const auto size = static_cast<GLsizei>(side);
    glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    texels += std::size_t{4} * side * side;
  }
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  return name;
}

/// Gives the program in use all its uniforms; returns its textures.
std::vector<GLuint> set_uniforms(GLuint program, const GlInputs& inputs) {
  std::vector<GLuint> textures;
  GLint uniforms = 0;
  glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &uniforms);
  for (GLint i = 0; i < uniforms; ++i) {
    std::array<char, 200> name{};
    GLint count = 0;
    GLenum type = 0;
    glGetActiveUniform(program, static_cast<GLuint>(i), name.size(), nullptr, &count, &type, name.data());
    const GLint place = glGetUniformLocation(program, name.data());
    const std::string plain = without_index(name.data());
    if (type == GL_SAMPLER_2D) {
      const auto unit = static_cast<GLint>(textures.size());
      textures.push_back(texture_of(inputs.textures.at(plain), unit));
      glUniform1i(place, unit);
    } else {
      set_uniform(place, type, count, inputs.uniforms.at(plain));
    }
  }
  return textures;
}

/// Makes the vertex array in use feed an attribute, if the program has it.
void add_attribute(GLuint program, const std::string& name, const std::vector<Vec4>& values,
                   std::vector<GLuint>& buffers) {
  const GLint place = glGetAttribLocation(program, name.c_str());
  if (place < 0) return;
  buffers.emplace_back();
  glGenBuffers(1, &buffers.back());
  glBindBuffer(GL_ARRAY_BUFFER, buffers.back());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(values.size() * sizeof(Vec4)), values.data(), GL_STATIC_DRAW);
  glVertexAttribPointer(static_cast<GLuint>(place), 4, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(static_cast<GLuint>(place));
}

/// Hands on what the fragment shader reads: its declarations "[flat] in PRECISION TYPE NAME;" stand on lines of their
/// own.
std::string passing_vertex_shader(const std::string& fragment_shader) {
  std::string declarations, statements;
  std::istringstream lines(fragment_shader);
  for (std::string line; std::getline(lines, line);) {
    const bool is_flat = line.starts_with("flat in ");
    if (!is_flat && !line.starts_with("in ")) continue;
    std::istringstream words(line.substr(line.find("in ") + 3));
    std::string precision, type, name;
    words >> precision >> type >> name;
    name.pop_back();
    declarations +=
        fmt::format("in highp vec4 in_{2};\n{0}out {1} {3} {2};\n", is_flat ? "flat " : "", precision, name, type);
    statements += fmt::format("  {0} = {1}(in_{0});\n", name, type);
  }
  return "#version 300 es\nin highp vec2 position;\n" + declarations + "void main() {\n" + statements +
         "  gl_Position = vec4(position, 0, 1);\n}\n";
}

/// Values at the corners of a triangle that covers the picture: its left-top corner, and twice as far right and down.
std::vector<Vec4> over_triangle(const std::array<Vec4, 3>& corners) {
  std::vector<Vec4> values{corners[0], corners[0], corners[0]};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t corner = 1; corner < 3; ++corner) values[corner][i] += 2 * (corners[corner][i] - corners[0][i]);
  return values;
}

}  // namespace

Llvmpipe::Llvmpipe(unsigned threads) {
  // Read when a screen is made. Without threads of its own it draws in the thread that asks for it.
  setenv("LP_NUM_THREADS", std::to_string(threads == 1 ? 0 : threads).c_str(), 1);
  setenv("GALLIUM_DRIVER", "llvmpipe", 1);
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
  display_ = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (eglInitialize(display_, nullptr, nullptr) == EGL_FALSE) fail("EGL has no display without a surface");
  eglBindAPI(EGL_OPENGL_ES_API);
  const std::array<EGLint, 3> version{EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
  context_ = eglCreateContext(display_, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version.data());
  if (context_ == nullptr || eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_FALSE)
    fail("EGL has no context of OpenGL ES 3");
  if (name().find("llvmpipe") == std::string::npos) fail("not llvmpipe but " + name());
}

Llvmpipe::~Llvmpipe() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

std::string Llvmpipe::name() const {
  const auto text = [](GLenum what) { return reinterpret_cast<const char*>(glGetString(what)); };
  return fmt::format("{}, {}", text(GL_RENDERER), text(GL_VERSION));
}

GlFrame::GlFrame(std::uint32_t side) {
  const auto size = static_cast<GLsizei>(side);
  glGenRenderbuffers(1, &colours_);
  glBindRenderbuffer(GL_RENDERBUFFER, colours_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, size, size);
  glGenFramebuffers(1, &frame_);
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours_);
  glViewport(0, 0, size, size);
  glDisable(GL_DITHER);
}

GlFrame::~GlFrame() {
  glDeleteFramebuffers(1, &frame_);
  glDeleteRenderbuffers(1, &colours_);
}

GlPicture::GlPicture(const std::string& fragment_shader, const GlInputs& inputs, std::uint32_t side)
    : frame_(side), side_(side), program_(linked(passing_vertex_shader(fragment_shader), fragment_shader)) {
  glGenVertexArrays(1, &arrays_);
  glBindVertexArray(arrays_);
  glUseProgram(program_);
  textures_ = set_uniforms(program_, inputs);
  add_attribute(program_, "position", {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}, buffers_);
  for (const auto& [name, corners] : inputs.corners)
    add_attribute(program_, "in_" + name, over_triangle(corners), buffers_);
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) fail(fmt::format("OpenGL says {:#x}", error));
}

GlPicture::~GlPicture() {
  glDeleteVertexArrays(1, &arrays_);
  glDeleteBuffers(static_cast<GLsizei>(buffers_.size()), buffers_.data());
  glDeleteTextures(static_cast<GLsizei>(textures_.size()), textures_.data());
  glDeleteProgram(program_);
}

void GlPicture::clear() {
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
}

void GlPicture::draw() {
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glFinish();
}

void GlPicture::read(std::vector<std::uint8_t>& rgba) {
  rgba.resize(std::size_t{4} * side_ * side_);
  const auto size = static_cast<GLsizei>(side_);
  glReadPixels(0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
}

GlVertices::GlVertices(const std::string& vertex_shader, const GlInputs& inputs,
                       const std::vector<std::string>& outputs, std::uint32_t count)
    : count_(count),
      program_(linked(vertex_shader, "#version 300 es\nvoid main() {}\n", outputs)),
      captured_floats_(outputs.size() * 4 * count) {
  glUseProgram(program_);
  set_uniforms(program_, inputs);
  glGenVertexArrays(1, &arrays_);
  glBindVertexArray(arrays_);
  for (const auto& [name, values] : inputs.attributes) add_attribute(program_, name, values, buffers_);
  glGenTransformFeedbacks(1, &feedback_);
  glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, feedback_);
  glGenBuffers(1, &captured_);
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured_);
  glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, static_cast<GLsizeiptr>(captured_floats_ * sizeof(float)), nullptr,
               GL_STREAM_READ);
  glEnable(GL_RASTERIZER_DISCARD);
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) fail(fmt::format("OpenGL says {:#x}", error));
}

GlVertices::~GlVertices() {
  glDisable(GL_RASTERIZER_DISCARD);
  glDeleteTransformFeedbacks(1, &feedback_);
  glDeleteBuffers(1, &captured_);
  glDeleteVertexArrays(1, &arrays_);
  glDeleteBuffers(static_cast<GLsizei>(buffers_.size()), buffers_.data());
  glDeleteProgram(program_);
}

void GlVertices::run() {
  glBeginTransformFeedback(GL_POINTS);
  glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(count_));
  glEndTransformFeedback();
  glFinish();
}

std::vector<float> GlVertices::read() {
  std::vector<float> values(captured_floats_);
  const auto bytes = static_cast<GLsizeiptr>(values.size() * sizeof(float));
  const void* const mapped = glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, bytes, GL_MAP_READ_BIT);
  if (mapped == nullptr) fail("the outputs of vertices cannot be read");
  std::memcpy(values.data(), mapped, values.size() * sizeof(float));
  glUnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
  return values;
}

}  // namespace side_by_side
