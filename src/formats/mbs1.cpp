#include "mobula/isa/mbs1.h"
#include "core/counted.h"

#include <algorithm>
#include <utility>

namespace mobula::mbs1 {
namespace {

constexpr std::size_t header_bytes = 8, record_bytes = 20;
/// Offset of a symbol that the compiler has dropped.
constexpr std::uint16_t eliminated = 0xFFFF;

/// How the payload of a chunk is divided: `head` raw bytes, then chunks; symbols have their record after the name.
enum class Layout : std::uint8_t { leaf, children, symbol, table };
struct Kind {
  std::string_view ident;
  Layout layout;
  std::size_t head;
};
constexpr std::array<Kind, 10> kinds{{
    {"MBS1", Layout::children, 0},
    {"CVER", Layout::children, 4},
    {"CFRA", Layout::children, 4},
    {"SUNI", Layout::table, 4},
    {"SATT", Layout::table, 4},
    {"SVAR", Layout::table, 4},
    {"VUNI", Layout::symbol, 0},
    {"VATT", Layout::symbol, 0},
    {"VVAR", Layout::symbol, 0},
    {"DBIN", Layout::leaf, 0},
}};

const Kind& kind_of(std::string_view ident) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.ident == ident; });
  return found == kinds.end() ? kinds.back() : *found;
}

std::uint32_t word(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at]) | static_cast<std::uint32_t>(bytes[at + 1]) << 8 |
         static_cast<std::uint32_t>(bytes[at + 2]) << 16 | static_cast<std::uint32_t>(bytes[at + 3]) << 24;
}
std::uint16_t half(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8);
}

class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  Result<Chunk> run() {
    std::size_t at = 0;
    Chunk root = chunk(at, bytes_.size(), 0);
    if (errors_.empty() && at != bytes_.size())
      error("FM034", at, counted(bytes_.size() - at, "byte follows", "bytes follow") + " the last chunk");
    if (!errors_.empty()) return fail(std::move(errors_));
    return root;
  }

 private:
  void error(std::string code, std::size_t at, std::string message) {
    if (errors_.empty())
      errors_.push_back({Severity::error,
                         std::move(code),
                         {.file = std::string(file_), .byte_offset = at},
                         std::move(message),
                         "the file is cut off or damaged"});
  }

  [[nodiscard]] std::string_view ident(std::size_t at) const {
    return {reinterpret_cast<const char*>(bytes_.data() + at), 4};
  }

  /// The layouts nest a fixed number of levels, so recursion ends; `depth` guards against tables inside tables.
  Chunk chunk(std::size_t& at, std::size_t end, unsigned depth) {
    Chunk result;
    if (end - at < header_bytes || depth > 8) {
      error("FM030", at,
            depth > 8 ? "chunks are nested too deep"
                      : "a chunk header takes 8 bytes, " + std::to_string(end - at) + " are left");
      return result;
    }
    result.ident = ident(at);
    const std::size_t size = word(bytes_, at + 4), begin = at + header_bytes;
    if (size > end - begin) {
      error("FM031", at,
            "chunk " + printable(result.ident) + " says it is " + counted(size, "byte") + " long but only " +
                std::to_string(end - begin) + " are left");
      return result;
    }
    at = begin + size;
    contents(result, begin, at, depth);
    return result;
  }

  static std::string printable(std::string text) {
    for (char& letter : text)
      if (letter < ' ' || letter > '~') letter = '?';
    return text;
  }

  void contents(Chunk& chunk_, std::size_t begin, std::size_t end, unsigned depth) {
    const Kind& kind = kind_of(chunk_.ident);
    if (kind.layout == Layout::leaf || begin == end) {
      raw(chunk_, begin, end);
      return;
    }
    std::size_t at = begin;
    if (kind.layout == Layout::symbol) {
      chunk_.pieces.emplace_back(chunk(at, end, depth + 1));
      if (!errors_.empty()) return;
      at = raw(chunk_, at, std::min(at + record_bytes, end));
    } else {
      at = raw(chunk_, at, std::min(at + kind.head, end));
      // Driver streams carry the space needed between the count of uniforms and the first of them.
      if (chunk_.ident == "SUNI" && end - at >= 4 && ident(at) != "VUNI") at = raw(chunk_, at, at + 4);
    }
    while (at < end && errors_.empty()) chunk_.pieces.emplace_back(chunk(at, end, depth + 1));
  }

  std::size_t raw(Chunk& chunk_, std::size_t begin, std::size_t end) {
    if (begin != end)
      chunk_.pieces.emplace_back(std::vector<std::uint8_t>(bytes_.begin() + static_cast<std::ptrdiff_t>(begin),
                                                           bytes_.begin() + static_cast<std::ptrdiff_t>(end)));
    return end;
  }

  std::span<const std::uint8_t> bytes_;
  std::string_view file_;
  Diagnostics errors_;
};

void append(const Chunk& chunk, std::vector<std::uint8_t>& out) {
  out.insert(out.end(), chunk.ident.begin(), chunk.ident.end());
  const std::size_t size_at = out.size();
  out.resize(out.size() + 4);
  for (const Chunk::Piece& piece : chunk.pieces) {
    if (const auto* raw = std::get_if<std::vector<std::uint8_t>>(&piece))
      out.insert(out.end(), raw->begin(), raw->end());
    else
      append(std::get<Chunk>(piece), out);
  }
  const std::size_t size = out.size() - size_at - 4;
  for (unsigned i = 0; i < 4; ++i) out[size_at + i] = static_cast<std::uint8_t>(size >> (8 * i));
}

/// The symbols of a table; entries without a complete record are damaged.
Result<std::vector<Symbol>> symbols(const Chunk* table, std::string_view entry, std::string_view file) {
  std::vector<Symbol> result;
  if (table == nullptr) return result;
  for (const Chunk::Piece& piece : table->pieces) {
    const auto* chunk = std::get_if<Chunk>(&piece);
    if (chunk == nullptr || chunk->ident != entry) continue;
    const std::span<const std::uint8_t> record = chunk->bytes();
    const Chunk* name = chunk->find("STRI");
    if (record.size() < record_bytes || name == nullptr)
      return fail(
          Diagnostic{Severity::error,
                     "FM032",
                     {.file = std::string(file)},
                     "an entry " + std::string(entry) + " of " + table->ident + " lacks its name or its 20-byte record",
                     "the file is damaged"});
    Symbol symbol;
    const std::span<const std::uint8_t> text = name->bytes();
    symbol.name.assign(text.begin(), std::find(text.begin(), text.end(), 0));
    symbol.type = record[1];
    symbol.components = half(record, 2);
    symbol.component_bytes = half(record, 4);
    symbol.entries = half(record, 6);
    symbol.offset = half(record, 16);
    if (const Chunk* initial = chunk->find("VINI"))
      for (std::size_t at = 4; at + 4 <= initial->bytes().size(); at += 4)
        symbol.initial.push_back(word(initial->bytes(), at));
    result.push_back(std::move(symbol));
  }
  return result;
}

/// GLSL spelling of the type: "vec3", "mat4[2]".
std::string type_of(const Symbol& symbol) {
  struct Spelling {
    std::string_view scalar, vector;
  };
  constexpr std::array<Spelling, 10> spellings{{{"", ""},
                                                {"float", "vec"},
                                                {"int", "ivec"},
                                                {"bool", "bvec"},
                                                {"mat", "mat"},
                                                {"sampler2D", ""},
                                                {"samplerCube", ""},
                                                {"", ""},
                                                {"struct", ""},
                                                {"samplerExternalOES", ""}}};
  if (symbol.type >= spellings.size()) return {};
  const auto& [scalar, vector] = spellings[symbol.type];
  const bool sized = !vector.empty() && symbol.components >= 2 && symbol.components <= 4;
  std::string type = sized ? std::string(vector) + std::to_string(symbol.components) : std::string(scalar);
  if (symbol.entries > 1) type += '[' + std::to_string(symbol.entries) + ']';
  return type;
}

Variable variable(const Symbol& symbol) {
  Variable result;
  result.name = symbol.name;
  result.type = type_of(symbol);
  result.location = symbol.offset;
  result.driver_location = symbol.offset / 4;
  result.component = symbol.offset % 4;
  return result;
}

}  // namespace

const Chunk* Chunk::find(std::string_view name) const {
  for (const Piece& piece : pieces)
    if (const auto* chunk = std::get_if<Chunk>(&piece); chunk != nullptr && chunk->ident == name) return chunk;
  return nullptr;
}
Chunk* Chunk::find(std::string_view name) { return const_cast<Chunk*>(std::as_const(*this).find(name)); }

std::span<const std::uint8_t> Chunk::bytes() const {
  for (const Piece& piece : pieces)
    if (const auto* raw = std::get_if<std::vector<std::uint8_t>>(&piece)) return *raw;
  return {};
}

bool is_mbs1(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view magic = "MBS1";
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

Result<Chunk> read(std::span<const std::uint8_t> bytes, std::string_view file) { return Reader(bytes, file).run(); }

std::vector<std::uint8_t> write(const Chunk& root) {
  std::vector<std::uint8_t> out;
  append(root, out);
  return out;
}

bool replace_code(Chunk& root, std::span<const std::uint8_t> code) {
  Chunk* const shader = root.find("CVER");
  Chunk* const chunk = shader == nullptr ? nullptr : shader->find("DBIN");
  if (chunk == nullptr) return false;
  chunk->pieces = {std::vector<std::uint8_t>(code.begin(), code.end())};
  return true;
}

void renumber(Chunk& root, std::string_view table, const std::map<std::uint32_t, std::uint32_t>& vec4s) {
  constexpr std::size_t offset_at = 16;
  Chunk* const shader = root.find("CVER");
  Chunk* const symbols = shader == nullptr ? nullptr : shader->find(table);
  if (symbols == nullptr) return;
  for (Chunk::Piece& entry : symbols->pieces) {
    auto* const chunk = std::get_if<Chunk>(&entry);
    if (chunk == nullptr || chunk->find("STRI") == nullptr) continue;
    const auto record = std::find_if(chunk->pieces.begin(), chunk->pieces.end(), [](const Chunk::Piece& piece) {
      return std::holds_alternative<std::vector<std::uint8_t>>(piece);
    });
    if (record == chunk->pieces.end()) continue;
    auto& bytes = std::get<std::vector<std::uint8_t>>(*record);
    if (bytes.size() < record_bytes) continue;
    const std::uint16_t offset = half(bytes, offset_at);
    const auto found = offset == eliminated ? vec4s.end() : vec4s.find(offset / 4);
    if (found == vec4s.end()) continue;
    const std::uint32_t moved = 4 * found->second + offset % 4;
    bytes[offset_at] = static_cast<std::uint8_t>(moved);
    bytes[offset_at + 1] = static_cast<std::uint8_t>(moved >> 8);
  }
}

Result<VertexShader> vertex_shader(std::span<const std::uint8_t> bytes, std::string_view file) {
  const Result<Chunk> root = read(bytes, file);
  if (!root) return fail(root.error());
  const Chunk* shader = root->find("CVER");
  const Chunk* code = shader == nullptr ? nullptr : shader->find("DBIN");
  if (code == nullptr)
    return fail(Diagnostic{
        Severity::error,
        "FM033",
        {.file = std::string(file)},
        shader == nullptr ? "there is no vertex shader (CVER) in the file" : "the vertex shader has no code (DBIN)",
        root->find("CFRA") != nullptr ? "the file holds a fragment shader; the pixel processor is another machine"
                                      : ""});
  VertexShader result;
  if (shader->bytes().size() >= 4) result.version = word(shader->bytes(), 0);
  if (const Chunk* info = shader->find("FINS"); info != nullptr && info->bytes().size() >= 12) {
    result.instructions = word(info->bytes(), 4);
    result.prefetch = word(info->bytes(), 8);
  }
  struct Table {
    std::string_view ident, entry;
    std::vector<Symbol>& symbols;
  };
  for (const Table& table : {Table{"SATT", "VATT", result.attributes}, Table{"SVAR", "VVAR", result.varyings},
                             Table{"SUNI", "VUNI", result.uniforms}}) {
    Result<std::vector<Symbol>> read_symbols = symbols(shader->find(table.ident), table.entry, file);
    if (!read_symbols) return fail(std::move(read_symbols).error());
    table.symbols = std::move(*read_symbols);
  }
  result.code.assign(code->bytes().begin(), code->bytes().end());
  const auto found = std::search(bytes.begin(), bytes.end(), code->ident.begin(), code->ident.end());
  result.code_offset = static_cast<std::uint64_t>(found - bytes.begin()) + header_bytes;
  return result;
}

Interface interface_of(const VertexShader& shader) {
  Interface interface;
  interface.stage = Stage::vertex;
  const auto fill = [](const std::vector<Symbol>& symbols_, std::vector<Variable>& out) {
    for (const Symbol& symbol : symbols_)
      if (symbol.offset != eliminated) out.push_back(variable(symbol));
  };
  if (shader.prefetch != 0) interface.prefetch = shader.prefetch - 1;
  fill(shader.attributes, interface.inputs);
  fill(shader.varyings, interface.outputs);
  fill(shader.uniforms, interface.uniforms);
  for (const Symbol& symbol : shader.uniforms)
    for (std::size_t i = 0; i < symbol.initial.size(); ++i)
      interface.constants.push_back({static_cast<std::uint32_t>(symbol.offset + i), symbol.initial[i]});
  return interface;
}

}  // namespace mobula::mbs1
