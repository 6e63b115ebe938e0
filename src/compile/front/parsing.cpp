// What glslang 12 reads otherwise than GLSL ES says, where nothing of it is left when all is read. The parser calls the
// functions that it needs for that through these (--wrap of the linker, src/CMakeLists.txt); what they find is told
// with the parser's own errors.
#include "compile/front/parsing.h"

#include <glslang/MachineIndependent/ParseHelper.h>
#include <glslang/MachineIndependent/Scan.h>
#include <glslang/MachineIndependent/ScanContext.h>
#include <glslang/MachineIndependent/preprocessor/PpContext.h>
#include <glslang/MachineIndependent/preprocessor/PpTokens.h>
// The parser's tokens; after what it is made of.
#include <glslang/MachineIndependent/glslang_tab.cpp.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/front/keywords.h"
#include "compile/front/limits.h"
#include "compile/front/many_functions.h"
#include "compile/front/tokens.h"

// NOLINTBEGIN(readability-identifier-naming): what the linker calls them
#define MOBULA_NEXT_TOKEN "_Z5yylexP7YYSTYPERN7glslang13TParseContextE"
#define MOBULA_WORD "_ZN7glslang10TPpContext8tokenizeERNS_8TPpTokenE"
#define MOBULA_SYNTAX_ERROR "_ZN7glslang13TParseContext11parserErrorEPKc"
#define MOBULA_UNARY \
  "_ZN7glslang13TParseContext15handleUnaryMathERKNS_10TSourceLocEPKcNS_9TOperatorEPNS_12TIntermTypedE"
#define MOBULA_ARRAY_SIZE \
  "_ZN7glslang13TParseContext14arraySizeCheckERKNS_10TSourceLocEPNS_12TIntermTypedERNS_10TArraySizeEPKc"
#define MOBULA_PRECISION \
  "_ZN7glslang13TParseContext19setDefaultPrecisionERKNS_10TSourceLocERNS_11TPublicTypeENS_19TPrecisionQualifierE"
#define MOBULA_LABEL "_ZN7glslang13TParseContext23wrapupSwitchSubsequenceEPNS_16TIntermAggregateEP11TIntermNode"
#define MOBULA_GROW "_ZN7glslang13TIntermediate13growAggregateEP11TIntermNodeS2_"
#define MOBULA_SWITCH \
  "_ZN7glslang13TParseContext9addSwitchERKNS_10TSourceLocEPNS_12TIntermTypedEPNS_16TIntermAggregateE"
#define MOBULA_FUNCTION "_ZN7glslang13TParseContext24handleFunctionDeclaratorERKNS_10TSourceLocERNS_9TFunctionEb"
#define MOBULA_DEFINITION "_ZN7glslang13TParseContext24handleFunctionDefinitionERKNS_10TSourceLocERNS_9TFunctionE"
#define MOBULA_CALL "_ZN7glslang13TParseContext18handleFunctionCallERKNS_10TSourceLocEPNS_9TFunctionEP11TIntermNode"
#define MOBULA_INDEX "_ZN7glslang13TParseContext24handleBracketDereferenceERKNS_10TSourceLocEPNS_12TIntermTypedES5_"
#ifdef _LIBCPP_VERSION
#define MOBULA_FIELD                                                                                        \
  "_ZN7glslang13TParseContext20handleDotDereferenceERKNS_10TSourceLocEPNS_12TIntermTypedERKNSt3__212basic_" \
  "stringIcNS6_11char_traitsIcEENS_14pool_allocatorIcEEEE"
#define MOBULA_BLOCK                                                                                         \
  "_ZN7glslang13TParseContext12declareBlockERKNS_10TSourceLocERNS_7TVectorINS_8TTypeLocEEEPKNSt3__212basic_" \
  "stringIcNS8_11char_traitsIcEENS_14pool_allocatorIcEEEEPNS_11TArraySizesE"
#else
#define MOBULA_BLOCK                                                                                             \
  "_ZN7glslang13TParseContext12declareBlockERKNS_10TSourceLocERNS_7TVectorINS_8TTypeLocEEEPKNSt7__cxx1112basic_" \
  "stringIcSt11char_traitsIcENS_14pool_allocatorIcEEEEPNS_11TArraySizesE"
#define MOBULA_FIELD                                                                                            \
  "_ZN7glslang13TParseContext20handleDotDereferenceERKNS_10TSourceLocEPNS_12TIntermTypedERKNSt7__cxx1112basic_" \
  "stringIcSt11char_traitsIcENS_14pool_allocatorIcEEEE"
#endif
#define MOBULA_TYPE "_ZN7glslang13TParseContext19declareTypeDefaultsERKNS_10TSourceLocERKNS_11TPublicTypeE"
#define MOBULA_MEMBER "_ZN7glslang13TParseContext20memberQualifierCheckERNS_11TPublicTypeE"
#define MOBULA_QUALIFIED \
  "_ZN7glslang13TParseContext24globalQualifierTypeCheckERKNS_10TSourceLocERKNS_10TQualifierERKNS_11TPublicTypeE"
#define MOBULA_STANDALONE \
  "_ZN7glslang13TParseContext33updateStandaloneQualifierDefaultsERKNS_10TSourceLocERKNS_11TPublicTypeE"
#define MOBULA_EXTENSION "_ZN7glslang14TParseVersions23updateExtensionBehaviorEiPKcS2_"
#define MOBULA_REQUIRED "_ZN7glslang14TParseVersions19ppRequireExtensionsERKNS_10TSourceLocEiPKPKcS5_"
#define MOBULA_DIRECTIVE "_ZN7glslang10TPpContext11readCPPlineEPNS_8TPpTokenE"
#define MOBULA_DIRECTIVE_ERROR "_ZN7glslang17TParseContextBase7ppErrorERKNS_10TSourceLocEPKcS5_S5_z"
#define MOBULA_CHOICE "_ZN7glslang13TIntermediate12addSelectionEPNS_12TIntermTypedES2_S2_RKNS_10TSourceLocE"
#define MOBULA_SEQUENCE "_ZN7glslang13TIntermediate8addCommaEPNS_12TIntermTypedES2_RKNS_10TSourceLocE"
#define MOBULA_EXTENSIONS "_ZN7glslang14TParseVersions17requireExtensionsERKNS_10TSourceLocEiPKPKcS5_"
#define MOBULA_PROFILE "_ZN7glslang14TParseVersions14requireProfileERKNS_10TSourceLocEiPKc"
#define MOBULA_VERSION_OF_PROFILE "_ZN7glslang14TParseVersions15profileRequiresERKNS_10TSourceLocEiiPKcS5_"
#define MOBULA_ARRAYS "_ZN7glslang13TParseContext16arrayObjectCheckERKNS_10TSourceLocERKNS_5TTypeEPKc"
// NOLINTEND(readability-identifier-naming)

namespace mobula::compile {

int library_next_token(YYSTYPE* token, glslang::TParseContext& context) asm("__real_" MOBULA_NEXT_TOKEN);

namespace {

using glslang::TFunction;
using glslang::TIntermAggregate;
using glslang::TIntermTyped;
using glslang::TOperator;
using glslang::TParseContext;
using glslang::TParseContextBase;
using glslang::TPublicType;
using glslang::TQualifier;
using glslang::TSourceLoc;

/// The column of a sign that is a plus: the parser forgets it, and what stands behind it is not looked at.
constexpr int column_of_plus = -1;

/// A name that nothing has.
struct Unknown {
  const glslang::TString* name = nullptr;
  TSourceLoc where{};
};

/// A text whose lines #line has given other numbers.
struct Moved {
  std::string file;  ///< whose name it may have changed, too
  int lines = 0;     ///< how much farther down than their numbers say
};

/// What the parser is in the middle of.
struct Reading {
  int before = 0;                                        ///< the last token
  TSourceLoc where{};                                    ///< of it
  int before_that = 0;                                   ///< the last token but one
  std::optional<Unknown> unknown;                        ///< the last token, where a type may stand there
  std::optional<Unknown> unknown_before;                 ///< the last token but one
  bool lacks_if = false;                                 ///< an #else or #elif has been told of that has no #if
  std::map<const glslang::TInputScanner*, Moved> moved;  ///< what #line has done to texts
  int brackets = 0;                                      ///< that are open
  int braces = 0;                                        ///< that are open
  int parentheses = 0;                                   ///< that are open
  bool in_layout = false;                                ///< between its parentheses
  bool has_direction = false;         ///< `in`, `out` or `inout` stands in front of the parameter that is being read
  bool label = false;                 ///< the last statement was a label
  bool sequence_in_brackets = false;  ///< that were opened last outside of others, one is that is a constant
  int braces_of_body = 0;  ///< that are open around the body of a `do` which is no block; 0 where there is none
  bool has_fixed_functions = false;  ///< the extension that GLSL 1.40 has them by is on
  bool may_name_lines = false;       ///< #line may have the name of a file: includes have it, and an extension
  TParseContext* reader = nullptr;   ///< that asks for the next token; null where only the preprocessor reads
  TSourceLoc line_directive{};       ///< where the #line stands that is being read; no line where there is none
  std::map<const glslang::TIntermSequence*, std::set<int>> cases;  ///< of each switch that is open
  std::set<std::string_view> members;  ///< that the declaration which is being read has so far
};
Reading& reading() {
  static thread_local Reading now;
  return now;
}

bool& tells_columns() {
  static thread_local bool tells = false;
  return tells;
}

/// Puts the column into the name of the text, for logs have no other place for it, and where that is in the text
/// itself.
void tell_column(TSourceLoc& where, const glslang::TInputScanner* text) {
  const auto moved = reading().moved.find(text);
  const bool is_moved = moved != reading().moved.end();
  if (!tells_columns() || where.column <= 0 || (where.name == nullptr && !is_moved)) return;
  const std::string name = where.getStringNameOrNum(false);
  if (name.find(before_column) != name.npos) return;
  const int line = is_moved ? where.line + moved->second.lines : where.line;
  std::string named = name + before_column + std::to_string(where.column) + before_column + std::to_string(line) +
                      before_column + (is_moved ? moved->second.file : name) + before_column;
  where.name = glslang::NewPoolTString(named.c_str());
}

bool ends_operand(int token) {
  switch (token) {
    case IDENTIFIER:
    case TYPE_NAME:
    case INTCONSTANT:
    case UINTCONSTANT:
    case FLOATCONSTANT:
    case BOOLCONSTANT:
    case RIGHT_PAREN:
    case RIGHT_BRACKET:
    case INC_OP:
    case DEC_OP:
      return true;
    default:
      return false;
  }
}

bool is_type(const glslang::TSymbol* symbol) {
  const glslang::TVariable* const variable = symbol == nullptr ? nullptr : symbol->getAsVariable();
  return variable != nullptr && variable->isUserType();
}

constexpr std::string_view reserved_prefix = "gl_";
constexpr std::string_view draw_buffers = "GL_EXT_draw_buffers";
constexpr std::string_view names_in_lines = "GL_GOOGLE_cpp_style_line_directive";
constexpr std::string_view compatibility = "GL_ARB_compatibility";
constexpr const char* uniform_blocks = "GL_ARB_uniform_buffer_object";
constexpr const char* array_objects = "GL_3DL_array_objects";
/// What stands for one in the parser; no text calls anything so.
constexpr const char* reserved_word = "reserved word";
/// Behind a word that the scanner shall not know.
constexpr char stranger = ' ';
constexpr std::array<std::string_view, 4> behaviours{"require", "enable", "warn", "disable"};

void check_name(TParseContext& context, const TSourceLoc& where, const glslang::TString& name) {
  if (std::string_view(name).starts_with(reserved_prefix))
    context.error(where, "identifiers starting with \"gl_\" are reserved", name.c_str(), "");
}

/// What stands in the head of a function and nowhere else outside of functions, token by token.
void check_head(TParseContext& context, Reading& now, int found, const TSourceLoc& where) {
  if (!context.isEsProfile() || now.braces > 0) return;
  if (now.parentheses == 0) {
    if (found == LEFT_PAREN && now.before == IDENTIFIER && now.before_that == RIGHT_BRACE)
      context.error(now.where, "a structure is declared by itself, not as what a function returns", "struct", "");
    return;
  }
  if (found == STRUCT) context.error(where, "a structure is declared by itself, not among parameters", "struct", "");
  const bool is_direction = found == IN || found == OUT || found == INOUT;
  if (is_direction && now.has_direction)
    context.error(where, "a parameter is one of in, out and inout", found == IN ? "in" : "out", "");
  now.has_direction = is_direction || (now.has_direction && found != COMMA && found != RIGHT_PAREN);
}

/// glslang compares the members of a declaration with those of the declarations in front of it, and not with each
/// other.
void check_members(TParseContext& context, Reading& now, int found, const glslang::TString* name,
                   const TSourceLoc& where) {
  if (found == SEMICOLON || found == LEFT_BRACE || found == RIGHT_BRACE) now.members.clear();
  const bool is_member = found == IDENTIFIER && context.structNestingLevel + context.blockNestingLevel > 0 &&
                         now.brackets == 0 && now.parentheses == 0 && now.before != STRUCT;
  if (!is_member) return;
  if (!now.members.insert(*name).second) context.error(where, "duplicate member name:", "", "%s", name->c_str());
}

bool has_capital(std::string_view word) {
  return std::ranges::any_of(word, [](char letter) { return letter >= 'A' && letter <= 'Z'; });
}

/// Whether a name of a layout comes next.
bool expects_layout(const Reading& now) { return now.in_layout && (now.before == LEFT_PAREN || now.before == COMMA); }

/// Whether a word that versions reserve is a name at this place.
bool is_layout(std::string_view word, const Reading& now) {
  return expects_layout(now) && (word == "packed" || word == "row_major");
}

bool is_name_for(TParseContext& context, std::string_view word) {
  const bool is_es = context.isEsProfile();
  if (is_layout(word, reading())) return true;
  if (is_reserved(word, context.version, is_es)) return true;  // check_word() tells it
  if (!is_only_a_name(word, context.version, is_es)) return false;
  const char* const extension = extension_with(word);
  return extension == nullptr || !context.extensionTurnedOn(extension);
}

bool lacks_fixed_functions(const TParseContext& context) {
  if (context.isEsProfile() || context.version < 140) return false;
  return context.version == 140 ? !reading().has_fixed_functions : context.profile != ECompatibilityProfile;
}

/// Whether this version has a constant of the language, or an extension that is on.
void check_constant(TParseContext& context, std::string_view word, const TSourceLoc& where) {
  const bool is_es = context.isEsProfile();
  const std::optional<Since> since = constant_since(word, is_es);
  if (!since || context.version >= since->version) return;
  const auto is_of_language = [&](const char* extension) {
    return extension != nullptr && is_es != std::string_view(extension).starts_with("GL_ARB_");
  };
  std::string message = is_es ? "GLSL ES has this from " : "GLSL has this from ";
  message += std::to_string(since->version / 100) + '.' + std::to_string(since->version % 100 / 10) + "0 on";
  for (const char* const extension : since->extensions) {
    if (!is_of_language(extension)) continue;
    if (context.extensionTurnedOn(extension)) return;
    message += ", or with " + std::string(extension);
  }
  context.error(where, message.c_str(), std::string(word).c_str(), "");
}

/// Of a name: whether this version has it, and leaves it free.
void check_word(TParseContext& context, std::string_view word, const TSourceLoc& where) {
  if (is_reserved(word, context.version, context.isEsProfile()))
    context.error(where, "Reserved word.", std::string(word).c_str(), "");
  if (lacks_fixed_functions(context) && is_of_fixed_functions(word, context.version))
    context.error(where,
                  context.version == 140 ? "GLSL 1.40 has this only with #extension GL_ARB_compatibility : require"
                                         : "only the compatibility profile has this",
                  std::string(word).c_str(), "");
  check_constant(context, word, where);
}

/// Neither could say what it must: a counter its binding, an image its format in GLSL ES.
void check_type_of_member(TParseContext& context, int found, const TSourceLoc& where) {
  if (context.structNestingLevel == 0) return;
  if (found == ATOMIC_UINT) context.error(where, "structures have no atomic counters", "atomic_uint", "");
  const bool is_image = found >= IMAGE1D && found <= UIMAGE2DMSARRAY;
  if (is_image && context.isEsProfile())
    context.error(where, "structures have no images, as a member does not say of which format it is", "", "");
}

/// Whether a type may come next, as far as the last token tells.
bool expects_type(const Reading& now) {
  switch (now.before) {
    case COMMA:
      return now.parentheses > 0 && !now.in_layout;
    case LEFT_PAREN:
      return !now.in_layout;
    case 0:
    case SEMICOLON:
    case LEFT_BRACE:
    case RIGHT_BRACE:
    case UNIFORM:
    case ATTRIBUTE:
    case VARYING:
    case CONST:
    case IN:
    case OUT:
    case INOUT:
    case BUFFER:
    case SHARED:
    case FLAT:
    case SMOOTH:
    case CENTROID:
    case INVARIANT:
    case HIGH_PRECISION:
    case MEDIUM_PRECISION:
    case LOW_PRECISION:
      return true;
    default:
      return false;
  }
}

bool begins_scope_itself(int token) {
  return token == LEFT_BRACE || token == IF || token == FOR || token == WHILE || token == DO || token == SWITCH;
}

/// The body of a `do` is a scope of its own, also where it is only a declaration; glslang takes the condition into it.
void end_body(TParseContext& context, Reading& now, int found) {
  if (now.before == DO) now.braces_of_body = begins_scope_itself(found) ? 0 : now.braces;
  if (now.before != SEMICOLON || now.braces_of_body == 0 || now.braces_of_body != now.braces) return;
  now.braces_of_body = 0;
  if (found != WHILE) return;
  context.symbolTable.pop(&context.defaultPrecision[0]);
  context.symbolTable.push();
}

/// Whether `shared` is a name: GLSL has shared variables where it has compute shaders. In a layout the parser takes the
/// name, too.
bool shared_is_name_in(TParseContext& context) {
  if (context.isEsProfile()) return context.version < 310;
  return context.version < 430 && !context.extensionTurnedOn("GL_ARB_compute_shader");
}

/// glslang knows layouts before GLSL 1.40 by other extensions only.
bool layout_is_keyword_in(TParseContext& context) {
  return !context.isEsProfile() && context.version < 140 && context.extensionTurnedOn(uniform_blocks);
}

/// What the parser's own scanner knows, and makes names or types of words by.
class Scanner : public glslang::TScanContext {
 public:
  /// Whether a type stands in front of what comes next.
  static bool& is_behind_type(const TParseContext& context) {
    return (*context.getScanContext()).*(&Scanner::afterType);
  }

  /// Gives a keyword as a word that has been declared, or not.
  static int read_as_name(const TParseContext& context, int before, const char* word, YYSTYPE& token) {
    token.lex.string = glslang::NewPoolTString(word);
    token.lex.symbol = before == DOT ? nullptr : context.symbolTable.find(*token.lex.string);
    bool& after_type = is_behind_type(context);
    const bool is_new = (*context.getScanContext()).*(&Scanner::afterStruct);
    if (after_type || is_new || !is_type(token.lex.symbol)) return IDENTIFIER;
    after_type = true;
    return TYPE_NAME;
  }
};

/// The scanner's next token, with its words as this version of GLSL has them.
int scan(YYSTYPE& token, TParseContext& context, Reading& now) {
  bool& is_behind_type = Scanner::is_behind_type(context);
  const bool was_behind_type = is_behind_type;
  now.reader = context.symbolTable.atBuiltInLevel() ? nullptr : &context;
  const int found = library_next_token(&token, context);
  now.reader = nullptr;
  if (found == SHARED && shared_is_name_in(context)) return Scanner::read_as_name(context, now.before, "shared", token);
  if (found != IDENTIFIER) return found;
  if (now.before != DOT && *token.lex.string == "layout" && layout_is_keyword_in(context)) return LAYOUT;
  const bool is_stranger = token.lex.string->back() == stranger;
  // What may be a type with some extension counts as one already.
  const bool is_no_type = is_behind_type && !was_behind_type;
  is_behind_type = was_behind_type;
  if (!is_stranger && !is_no_type) return found;
  std::string word(*token.lex.string);
  if (is_stranger) word.pop_back();
  return Scanner::read_as_name(context, now.before, word.c_str(), token);
}

/// How many are open after a token.
void count(int& open, int found, int opens, int closes) {
  if (found == opens) ++open;
  if (found == closes && open > 0) --open;
}

void check_function(TParseContext& context, const TSourceLoc& where, const TFunction& function) {
  const char* const name = function.getName().c_str();
  const TQualifier& how = function.getType().getQualifier();
  check_name(context, where, function.getName());
  if (function.getType().isArray() && function.getType().getBasicType() == glslang::EbtVoid)
    context.error(where, "there are no arrays of void", name, "");
  if (function.getType().containsOpaque())
    context.error(where, "a function returns no sampler, image or counter, nor a structure of them", name, "");
  if (how.hasLayout()) context.error(where, "a function has no layout", name, "");
  if (how.isInterpolation() || how.isAuxiliary() || how.noContraction)
    context.error(where, "precisions are the only qualifiers in front of a function", name, "");
  for (int i = 0; i < function.getParamCount(); ++i) {
    const glslang::TParameter& parameter = function[i];
    if (parameter.type->getQualifier().isMemory() && !parameter.type->isImage())
      context.error(where, "only images are coherent, volatile, restrict, readonly or writeonly",
                    parameter.name == nullptr ? name : parameter.name->c_str(), "");
  }
  bool is_built_in = false;
  const glslang::TSymbol* const known = context.symbolTable.find(function.getMangledName(), &is_built_in);
  const TFunction* const before = known == nullptr || is_built_in ? nullptr : known->getAsFunction();
  if (context.isEsProfile() && before != nullptr && before->getType().getQualifier().precision != how.precision)
    context.error(where, "returned another precision where it was declared before", name, "");
}

/// Those of a call in the text: the parser makes one node of them if they are several.
std::vector<TIntermTyped*> arguments_of(TIntermNode* node) {
  if (node == nullptr) return {};
  TIntermAggregate* const several = node->getAsAggregate();
  if (several == nullptr || several->getOp() != glslang::EOpNull) return {node->getAsTyped()};
  std::vector<TIntermTyped*> all;
  for (TIntermNode* const each : several->getSequence()) all.push_back(each->getAsTyped());
  return all;
}

/// What glslang refuses in directives and GLSL ES permits: `defined` that comes out of a macro, names with __ that are
/// not predefined, and quotation marks in what a condition leaves out (elsewhere they are refused as what they begin).
bool is_permitted(const TParseContextBase& context, std::string_view what, std::string_view more) {
  if (!context.isEsProfile()) return false;
  if (what == "names containing consecutive underscores are reserved, and an error if version < 300:")
    return more != "__LINE__" && more != "__FILE__" && more != "__VERSION__";
  return what == "cannot use in preprocessor expression when expanded from macros" || what == "End of line in string";
}

/// The library replaces these in front of all macros, and asks the macros whether they are defined.
void define_predefined(glslang::TPpContext& context) {
  if (context.lookupMacroDef(glslang::PpAtomVersionMacro) != nullptr) return;
  glslang::TPpContext::MacroSymbol nothing;
  for (const int name : {glslang::PpAtomLineMacro, glslang::PpAtomFileMacro, glslang::PpAtomVersionMacro})
    context.addMacroDef(name, nothing);
}

/// The text that the preprocessor is reading.
class Characters : public glslang::TInputScanner {
 public:
  /// Where it is read next.
  static const char* place(const glslang::TInputScanner& text) {
    const auto* const begin = reinterpret_cast<const char*>((text.*(&Characters::sources))[source(text)]);
    return begin + text.*(&Characters::currentChar);
  }
  static int source(const glslang::TInputScanner& text) { return text.getLastValidSourceIndex(); }
  /// Whether this is what the library puts around a text.
  static bool is_around_text(const glslang::TInputScanner& text) {
    return source(text) == 0 || source(text) == text.*(&Characters::numSources) - 1;
  }
  static std::string_view rest_of_line(const glslang::TInputScanner& text) {
    const int source = text.*(&Characters::currentSource);
    const std::size_t at = text.*(&Characters::currentChar), length = (text.*(&Characters::lengths))[source];
    const auto* const begin = reinterpret_cast<const char*>((text.*(&Characters::sources))[source]);
    const std::string_view rest(begin + at, length - at);
    return rest.substr(0, rest.find('\n'));
  }
};

class Preprocessor : public glslang::TPpContext {
 public:
  static bool is_in_condition(TPpContext& context) { return context.*(&Preprocessor::ifdepth) > 0; }
  static int skip_line(TPpContext& context, glslang::TPpToken* token) {
    int found = 0;
    do found = (context.*(&Preprocessor::scanToken))(token);
    while (found != '\n' && found != glslang::EndOfInput);
    return found;
  }
  static bool is_macro(TPpContext& context, std::string_view word) {
    const int atom = (context.*(&Preprocessor::atomStrings)).getAtom(std::string(word).c_str());
    const MacroSymbol* const macro = atom == 0 ? nullptr : context.lookupMacroDef(atom);
    return macro != nullptr && macro->undef == 0;
  }
};

/// A name that is no macro is 0 for glslang, where it is not GLSL ES. `where` is in front of the line.
void check_line_directive(TParseContext& context, glslang::TPpContext& macros, std::string_view line,
                          const TSourceLoc& where) {
  Tokens tokens(line);
  tokens.next();
  for (std::string_view token = tokens.next(); !token.empty() && token != "\""; token = tokens.next()) {
    const bool is_name = is_word(token.front()) && (token.front() < '0' || token.front() > '9');
    if (!is_name || Preprocessor::is_macro(macros, token)) continue;
    TSourceLoc here = where;
    here.column += static_cast<int>(token.data() - line.data()) + 1;
    context.ppError(here, "is no macro; #line has numbers, of a line and of a text", std::string(token).c_str(), "");
  }
}

/// What glslang says of a directive or of a macro, in the words in which it is told.
struct OfDirective {
  std::string what, token, more;
};
void tell_of_macro(OfDirective& said) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> reasons{
      {{"Too few args in Macro", "it has more parameters"},
       {"Too many args in macro", "it has fewer parameters"},
       {"End of line in macro substitution:", "its arguments do not end in this line"},
       {"End of input in macro", arguments_without_end},
       {"unexpected '#'", "a directive stands among its arguments"}}};
  const auto known = std::ranges::find(reasons, said.what, &std::pair<std::string_view, std::string_view>::first);
  if (said.token != "macro expansion" || known == reasons.end()) return;
  said = {std::string(macro_not_replaced) + std::string(known->second), said.more, ""};
}
void tell_of_condition(OfDirective& said) {
  if (said.what != "undefined macro in expression not allowed in es profile") return;
  said = {"is no macro, and GLSL ES does not take it for 0", said.more, ""};
}
void tell_of_line(OfDirective& said) {
  if (said.token != "preprocessor evaluation") return;
  said.token = "#line";
  if (said.what == "bad expression") said.what = "has numbers, of a line and of a text";
}

/// GLSL 1.40 has inverse(), the library from 1.50 on. A function of the text that takes the same is known.
bool is_inverse_of_140(TParseContext& context, const TFunction& function) {
  if (context.isEsProfile() || context.version != 140) return false;
  if (!std::string_view(function.getMangledName()).starts_with("inverse(")) return false;
  if (function.getParamCount() != 1 || context.symbolTable.find(function.getName()) != nullptr) return false;
  const glslang::TType& type = *function[0].type;
  return type.getBasicType() == glslang::EbtFloat && !type.isArray() && type.isMatrix() &&
         type.getMatrixCols() == type.getMatrixRows();
}
TIntermTyped* inverse_of(TParseContext& context, const TSourceLoc& where, TIntermTyped* matrix) {
  glslang::TType type;
  type.shallowCopy(matrix->getType());
  type.getQualifier().makeTemporary();
  return context.intermediate.addBuiltInFunctionCall(where, glslang::EOpMatrixInverse, true, matrix, type);
}

/// Functions whose first argument is a place in memory. glslang crashes where it is no place at all.
bool is_atomic(std::string_view function) {
  return function.starts_with("atomic") && !function.starts_with("atomicCounter");
}
bool changes_memory(const std::vector<TIntermTyped*>& arguments) {
  return !arguments.empty() && glslang::TIntermediate::findLValueBase(arguments.front(), true, true) != nullptr;
}

/// Of one that is not, glslang looks for another one like it among all labels.
bool is_new_case(const glslang::TIntermSequence* labels, const glslang::TIntermBranch& label) {
  const auto* const number = label.getExpression() == nullptr ? nullptr : label.getExpression()->getAsConstantUnion();
  return number != nullptr && reading().cases[labels].insert(number->getConstArray()[0].getIConst()).second;
}

}  // namespace

void begin_reading() { reading() = {}; }

TellsColumns::TellsColumns() { tells_columns() = true; }
TellsColumns::~TellsColumns() { tells_columns() = false; }

int library_word(glslang::TPpContext* context, glslang::TPpToken& word) asm("__real_" MOBULA_WORD);
void library_syntax_error(TParseContext* context, const char* what) asm("__real_" MOBULA_SYNTAX_ERROR);
TIntermTyped* library_unary(TParseContext* context, const TSourceLoc& where, const char* word, TOperator op,
                            TIntermTyped* operand) asm("__real_" MOBULA_UNARY);
void library_array_size(TParseContext* context, const TSourceLoc& where, TIntermTyped* size, glslang::TArraySize& made,
                        const char* what) asm("__real_" MOBULA_ARRAY_SIZE);
void library_precision(TParseContext* context, const TSourceLoc& where, TPublicType& type,
                       glslang::TPrecisionQualifier precision) asm("__real_" MOBULA_PRECISION);
void library_label(TParseContext* context, TIntermAggregate* statements,
                   TIntermNode* label) asm("__real_" MOBULA_LABEL);
TIntermAggregate* library_grow(glslang::TIntermediate* tree, TIntermNode* left,
                               TIntermNode* right) asm("__real_" MOBULA_GROW);
TIntermNode* library_switch(TParseContext* context, const TSourceLoc& where, TIntermTyped* expression,
                            TIntermAggregate* last) asm("__real_" MOBULA_SWITCH);
TFunction* library_function(TParseContext* context, const TSourceLoc& where, TFunction& function,
                            bool is_prototype) asm("__real_" MOBULA_FUNCTION);
TIntermAggregate* library_definition(TParseContext* context, const TSourceLoc& where,
                                     TFunction& function) asm("__real_" MOBULA_DEFINITION);
TIntermTyped* library_call(TParseContext* context, const TSourceLoc& where, TFunction* function,
                           TIntermNode* arguments) asm("__real_" MOBULA_CALL);
TIntermTyped* library_index(TParseContext* context, const TSourceLoc& where, TIntermTyped* base,
                            TIntermTyped* index) asm("__real_" MOBULA_INDEX);
TIntermTyped* library_field(TParseContext* context, const TSourceLoc& where, TIntermTyped* base,
                            const glslang::TString& name) asm("__real_" MOBULA_FIELD);
void library_type(TParseContext* context, const TSourceLoc& where, const TPublicType& type) asm("__real_" MOBULA_TYPE);
void library_member(TParseContext* context, TPublicType& type) asm("__real_" MOBULA_MEMBER);
void library_qualified(TParseContext* context, const TSourceLoc& where, const TQualifier& how,
                       const TPublicType& type) asm("__real_" MOBULA_QUALIFIED);
void library_standalone(TParseContext* context, const TSourceLoc& where,
                        const TPublicType& type) asm("__real_" MOBULA_STANDALONE);
void library_block(TParseContext* context, const TSourceLoc& where, glslang::TTypeList& members,
                   const glslang::TString* instance, glslang::TArraySizes* sizes) asm("__real_" MOBULA_BLOCK);
TIntermTyped* library_choice(glslang::TIntermediate* tree, TIntermTyped* condition, TIntermTyped* one,
                             TIntermTyped* other, const TSourceLoc& where) asm("__real_" MOBULA_CHOICE);
TIntermTyped* library_sequence(glslang::TIntermediate* tree, TIntermTyped* one, TIntermTyped* other,
                               const TSourceLoc& where) asm("__real_" MOBULA_SEQUENCE);
void library_extension(glslang::TParseVersions* context, int line, const char* extension,
                       const char* behaviour) asm("__real_" MOBULA_EXTENSION);
void library_required(glslang::TParseVersions* context, const TSourceLoc& where, int count,
                      const char* const extensions[], const char* what) asm("__real_" MOBULA_REQUIRED);
int library_directive(glslang::TPpContext* context, glslang::TPpToken* token) asm("__real_" MOBULA_DIRECTIVE);
void library_extensions(glslang::TParseVersions* context, const TSourceLoc& where, int count,
                        const char* const extensions[], const char* what) asm("__real_" MOBULA_EXTENSIONS);
void library_profile(glslang::TParseVersions* context, const TSourceLoc& where, int profiles,
                     const char* what) asm("__real_" MOBULA_PROFILE);
void library_version_of_profile(glslang::TParseVersions* context, const TSourceLoc& where, int profiles, int version,
                                const char* extension, const char* what) asm("__real_" MOBULA_VERSION_OF_PROFILE);
void library_arrays(TParseContext* context, const TSourceLoc& where, const glslang::TType& type,
                    const char* what) asm("__real_" MOBULA_ARRAYS);
void library_directive_error(TParseContextBase* context, const TSourceLoc& where, const char* what, const char* token,
                             const char* more, ...) asm("__real_" MOBULA_DIRECTIVE_ERROR);

/// A plus in front of an operand is handed on as a minus with a mark. In brackets a name of a type is one, also where a
/// type stands in front of them: what glslang takes for a name that is declared.
int next_token(YYSTYPE* token, TParseContext& context) asm("__wrap_" MOBULA_NEXT_TOKEN) __attribute__((used));
int next_token(YYSTYPE* token, TParseContext& context) {
  Reading& now = reading();
  token->lex.loc.init();
  const bool is_built_in = context.symbolTable.atBuiltInLevel();
  const bool may_be_type = expects_type(now) && !Scanner::is_behind_type(context);
  int found = scan(*token, context, now);
  TSourceLoc& where = token->lex.loc;  // no line at the end of the text
  // A reserved word ends the text for glslang; what follows may have errors, too.
  if (found == 0 && where.line != 0) {
    found = IDENTIFIER;
    token->lex.string = glslang::NewPoolTString(reserved_word);
    token->lex.symbol = nullptr;
  }
  // Structures may be called as what a layout has.
  const bool begins_layout = expects_layout(now);
  if (found == TYPE_NAME && begins_layout) found = IDENTIFIER;
  if (found == IDENTIFIER && begins_layout && context.isEsProfile() && has_capital(*token->lex.string))
    context.error(where, "the names of layouts have small letters", token->lex.string->c_str(), "");
  if (found == LEFT_PAREN && now.before == LAYOUT) now.in_layout = true;
  if (found == RIGHT_PAREN) now.in_layout = false;
  tell_column(where, context.getScanner());
  const bool is_of_unknown_type = found == IDENTIFIER && token->lex.symbol == nullptr && may_be_type;
  if (found == PLUS && !ends_operand(now.before)) {
    found = DASH;
    where.column = column_of_plus;
  }
  if (found == COMMA && now.before == VOID)
    context.error(now.where, "stands alone between the parentheses of a function that has no parameters", "void", "");
  if (found == IDENTIFIER && now.brackets > 0 && now.before != DOT && is_type(token->lex.symbol)) found = TYPE_NAME;
  const bool is_word = found == IDENTIFIER || found == TYPE_NAME;
  if (is_word && !is_built_in && !is_layout(*token->lex.string, now)) check_word(context, *token->lex.string, where);
  if (found == IDENTIFIER && now.before == STRUCT && !is_built_in) check_name(context, where, *token->lex.string);
  if (found == IDENTIFIER && *token->lex.string == "gl_WorkGroupSize" && context.isEsProfile() && !is_built_in &&
      !context.intermediate.isLocalSizeSet())
    context.error(where, "is used before the shader says how large its workgroups are", "gl_WorkGroupSize", "");
  check_head(context, now, found, where);
  check_members(context, now, found, token->lex.string, where);
  check_type_of_member(context, found, where);
  end_body(context, now, found);
  if (found == LEFT_BRACKET && now.brackets == 0) now.sequence_in_brackets = false;
  count(now.brackets, found, LEFT_BRACKET, RIGHT_BRACKET);
  count(now.braces, found, LEFT_BRACE, RIGHT_BRACE);
  count(now.parentheses, found, LEFT_PAREN, RIGHT_PAREN);
  now.unknown_before = now.before_that == RIGHT_BRACE ? std::nullopt : now.unknown;
  now.before_that = now.before;
  now.unknown = is_of_unknown_type ? std::optional(Unknown{token->lex.string, where}) : std::nullopt;
  now.before = found;
  now.where = where;
  if (found == 0) now = {};
  return found;
}

/// Tells of letters beyond ASCII that follow each other, each of which is several characters for the library.
/// \return what stands behind.
int behind_letters(glslang::TPpContext& context, TParseContext& reader, glslang::TPpToken& word) {
  const TSourceLoc where = word.loc;
  std::string letters;
  int count = 0, found = 0;
  do {
    const char letter = Characters::place(*reader.getScanner())[-1];
    if (static_cast<unsigned char>(letter) > glslang::PpAtomMaxSingle) letters += letter;  // else it is a macro's
    found = library_word(&context, word);
    ++count;
  } while (found == glslang::PpAtomBadToken && word.loc.line == where.line && word.loc.column == where.column + count);
  reader.ppError(where, "unexpected token; only comments have letters beyond ASCII", letters.c_str(), "");
  return found;
}

/// From the preprocessor to the scanner.
int word(glslang::TPpContext* context, glslang::TPpToken& word) asm("__wrap_" MOBULA_WORD) __attribute__((used));
int word(glslang::TPpContext* context, glslang::TPpToken& word) {
  define_predefined(*context);
  int found = library_word(context, word);
  TParseContext* const reader = reading().reader;
  if (reader == nullptr) return found;
  while (found == glslang::PpAtomBadToken) found = behind_letters(*context, *reader, word);
  if (found != glslang::PpAtomIdentifier) return found;
  const std::size_t length = std::strlen(word.name);
  if (!is_name_for(*reader, {word.name, length})) return found;
  word.name[length] = stranger;
  word.name[length + 1] = 0;
  return found;
}

/// It is where the last token is; the library takes what it has read when it finds that out.
void syntax_error(TParseContext* context, const char* what) asm("__wrap_" MOBULA_SYNTAX_ERROR) __attribute__((used));
void syntax_error(TParseContext* context, const char* what) {
  const Reading& now = reading();
  // The library tells of an end that comes too soon only if nothing was wrong before.
  if (now.before == 0) return context->error(context->getCurrentLoc(), "", "", what, "");
  // In functions it is told as a name that is not declared.
  const std::optional<Unknown>& unknown = now.unknown_before ? now.unknown_before : now.unknown;
  if (unknown && context->symbolTable.atGlobalLevel())
    return context->error(unknown->where, no_type.data(), unknown->name->c_str(), "");
  TSourceLoc& here = const_cast<TSourceLoc&>(context->getCurrentLoc());
  const TSourceLoc end = std::exchange(here, now.where);
  library_syntax_error(context, what);
  here = end;
}

TIntermTyped* unary(TParseContext* context, const TSourceLoc& where, const char* word, TOperator op,
                    TIntermTyped* operand) asm("__wrap_" MOBULA_UNARY) __attribute__((used));
TIntermTyped* unary(TParseContext* context, const TSourceLoc& where, const char* word, TOperator op,
                    TIntermTyped* operand) {
  if (op != glslang::EOpNegative || where.column != column_of_plus)
    return library_unary(context, where, word, op, operand);
  const glslang::TType& type = operand->getType();
  if (type.isArray() || (!type.isFloatingDomain() && !type.isIntegerDomain())) {
    context->error(where, "only numbers have a sign, and vectors and matrices of them", "+", "");
  } else if (glslang::TIntermConstantUnion* const constant = operand->getAsConstantUnion(); constant != nullptr) {
    constant->setExpression();
  } else {  // the value: nothing can be written to it
    TIntermTyped* const negated = library_unary(context, where, word, op, operand);
    return library_unary(context, where, word, op, negated);
  }
  return operand;
}

void array_size(TParseContext* context, const TSourceLoc& where, TIntermTyped* size, glslang::TArraySize& made,
                const char* what) asm("__wrap_" MOBULA_ARRAY_SIZE) __attribute__((used));
void array_size(TParseContext* context, const TSourceLoc& where, TIntermTyped* size, glslang::TArraySize& made,
                const char* what) {
  if (!size->getType().isScalar()) context->error(where, "the size of an array is one whole number", "[", "");
  // GLSL 1.20 has constant expressions as sizes, which its grammar has no sequences for.
  if (reading().sequence_in_brackets && !context->isEsProfile() && context->version >= 120)
    context->error(where, "a sequence is no size of an array", "[", "");
  library_array_size(context, where, size, made, what);
}

void precision(TParseContext* context, const TSourceLoc& where, TPublicType& type,
               glslang::TPrecisionQualifier precision) asm("__wrap_" MOBULA_PRECISION) __attribute__((used));
void precision(TParseContext* context, const TSourceLoc& where, TPublicType& type,
               glslang::TPrecisionQualifier precision) {
  if (type.arraySizes != nullptr) context->error(where, "a precision is of a type, not of arrays", "precision", "");
  if (type.vectorSize > 1 || type.matrixCols > 0)
    context->error(where, "vectors and matrices have the precision of float or int", "precision", "");
  library_precision(context, where, type, precision);
}

void label(TParseContext* context, TIntermAggregate* statements, TIntermNode* label) asm("__wrap_" MOBULA_LABEL)
    __attribute__((used));
void label(TParseContext* context, TIntermAggregate* statements, TIntermNode* label) {
  library_label(context, statements, nullptr);
  glslang::TIntermSequence* const labels = context->switchSequenceStack.back();
  if (label != nullptr && is_new_case(labels, *label->getAsBranchNode()))
    labels->push_back(label);
  else
    library_label(context, nullptr, label);
  reading().label = true;
}

/// An empty statement is one, too: behind the last label of a switch there must be one.
TIntermAggregate* grow(glslang::TIntermediate* tree, TIntermNode* left, TIntermNode* right) asm("__wrap_" MOBULA_GROW)
    __attribute__((used));
TIntermAggregate* grow(glslang::TIntermediate* tree, TIntermNode* left, TIntermNode* right) {
  const bool is_empty = reading().label && left == nullptr && right == nullptr;
  reading().label = false;
  return is_empty ? tree->makeAggregate(TSourceLoc{}) : library_grow(tree, left, right);
}

/// glslang only warns from GLSL ES 3.10 on, in these words.
TIntermNode* end_switch(TParseContext* context, const TSourceLoc& where, TIntermTyped* expression,
                        TIntermAggregate* last) asm("__wrap_" MOBULA_SWITCH) __attribute__((used));
TIntermNode* end_switch(TParseContext* context, const TSourceLoc& where, TIntermTyped* expression,
                        TIntermAggregate* last) {
  const auto& switches = context->switchSequenceStack;
  if (!switches.empty()) reading().cases.erase(switches.back());
  if (context->isEsProfile() && last == nullptr && !switches.empty() && !switches.back()->empty())
    context->error(where, "last case/default label not followed by statements", "switch", "");
  return library_switch(context, where, expression, last);
}

TFunction* function(TParseContext* context, const TSourceLoc& where, TFunction& function,
                    bool is_prototype) asm("__wrap_" MOBULA_FUNCTION) __attribute__((used));
TFunction* function(TParseContext* context, const TSourceLoc& where, TFunction& function, bool is_prototype) {
  if (!context->symbolTable.atBuiltInLevel()) check_function(*context, where, function);
  return library_function(context, where, function, is_prototype);
}

/// What a second body returns is right or wrong by its own head; glslang takes it for a body that returns nothing.
TIntermAggregate* definition(TParseContext* context, const TSourceLoc& where,
                             TFunction& function) asm("__wrap_" MOBULA_DEFINITION) __attribute__((used));
TIntermAggregate* definition(TParseContext* context, const TSourceLoc& where, TFunction& function) {
  TIntermAggregate* const made = library_definition(context, where, function);
  context->currentFunctionType = &function.getType();
  return made;
}

/// Whether nothing is called as this is.
bool is_no_function(TParseContext& context, const TFunction& function) {
  if (function.getBuiltInOp() != glslang::EOpNull || function.getName().empty() || function.getName() == reserved_word)
    return false;
  if (context.symbolTable.find(function.getName()) != nullptr) return false;
  glslang::TVector<const TFunction*> known;
  bool is_built_in = false;
  context.symbolTable.findFunctionNameList(function.getMangledName(), known, is_built_in);
  return known.empty();
}

/// glslang declares functions of the compatibility profile in the core profile of 1.50 to 4.10, too (texture2D),
/// without anything that they would do.
bool leads_nowhere(TIntermTyped* made) {
  glslang::TIntermAggregate* const call = made == nullptr ? nullptr : made->getAsAggregate();
  return call != nullptr && call->getOp() == glslang::EOpFunctionCall && !call->isUserDefined();
}

/// Parameters have no format, and layouts do not count when functions are chosen: an image of any format may be given.
TIntermTyped* call(TParseContext* context, const TSourceLoc& where, TFunction* function,
                   TIntermNode* arguments) asm("__wrap_" MOBULA_CALL) __attribute__((used));
TIntermTyped* call(TParseContext* context, const TSourceLoc& where, TFunction* function, TIntermNode* arguments) {
  bool is_built_in = false;
  const glslang::TString& name = function->getMangledName();  // constructors have no other
  const bool is_known = context->symbolTable.find(name, &is_built_in) != nullptr;
  if ((is_built_in || !is_known) && is_atomic(name) && !changes_memory(arguments_of(arguments))) {
    context->error(where, "what is changed is a variable of a buffer, or a shared one", function->getName().c_str(),
                   "");
    return context->intermediate.addConstantUnion(0, where);
  }
  if (!is_known && is_inverse_of_140(*context, *function)) return inverse_of(*context, where, arguments->getAsTyped());
  if (!is_known && is_no_function(*context, *function)) {
    context->error(where, no_function.data(), function->getName().c_str(), "");
    return context->intermediate.addConstantUnion(0.0, glslang::EbtFloat, where);
  }
  if (is_built_in) {
    TIntermTyped* const made = library_call(context, where, function, arguments);
    if (!leads_nowhere(made)) return made;
    context->error(where, "only the compatibility profile has this", function->getName().c_str(), "");
    return context->intermediate.addConstantUnion(0, where);
  }
  std::vector<std::pair<TQualifier*, glslang::TLayoutFormat>> images;
  for (TIntermTyped* const each : arguments_of(arguments)) {
    if (each == nullptr || !each->getType().isImage()) continue;
    TQualifier& how = each->getWritableType().getQualifier();
    images.emplace_back(&how, how.getFormat());
    how.layoutFormat = glslang::ElfNone;
  }
  const compile::UncomparedCall uncompared(context->intermediate);
  TIntermTyped* const made = library_call(context, where, function, arguments);
  for (const auto& [how, format] : images) how->layoutFormat = format;
  return made;
}

bool is_mask_of_samples(const TIntermTyped& base) {
  return base.getAsSymbolNode() != nullptr && base.getQualifier().builtIn == glslang::EbvSampleMask;
}
/// A bit for each of 32 samples, of which no machine has more. glslang leaves the size of such masks open.
void give_masks_a_size(TIntermTyped& base) {
  if (!is_mask_of_samples(base) || !base.getType().isUnsizedArray()) return;
  glslang::TArraySizes one;
  one.addInnerSize(1);
  base.getWritableType().copyArraySizes(one);
}

/// How many elements, columns or components there are; 0 where that is not known.
int count_of(const TParseContext& context, const glslang::TType& type) {
  if (type.isUnsizedArray()) {
    const TBuiltInResource& limits = limits_of(context.version);
    const glslang::TBuiltInVariable which = type.getQualifier().builtIn;
    return which == glslang::EbvTexCoord       ? limits.maxTextureCoords
           : which == glslang::EbvClipDistance ? limits.maxClipDistances
                                               : 0;
  }
  if (type.isArray()) return type.getOuterArraySize();
  return type.isMatrix() ? type.getMatrixCols() : type.isVector() ? type.getVectorSize() : 0;
}

/// The constant that tells how many elements a built-in array has.
std::string_view constant_of_length(const TIntermTyped& base) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> known{
      {{"gl_FragData", "gl_MaxDrawBuffers"},
       {"gl_TexCoord", "gl_MaxTextureCoords"},
       {"gl_LightSource", "gl_MaxLights"},
       {"gl_TextureMatrix", "gl_MaxTextureCoords"}}};
  const glslang::TIntermSymbol* const symbol = base.getAsSymbolNode();
  if (symbol == nullptr) return {};
  const std::string_view name = symbol->getName();
  const auto found = std::ranges::find(known, name, &std::pair<std::string_view, std::string_view>::first);
  return found == known.end() ? std::string_view() : found->second;
}

/// The library does not say which indices there are.
bool is_beyond_end(TParseContext& context, const TSourceLoc& where, const TIntermTyped& base,
                   const TIntermTyped& number) {
  const glslang::TIntermConstantUnion* const constant = number.getAsConstantUnion();
  const int count = count_of(context, base.getType());
  if (constant == nullptr || count <= 0 || !number.getType().isScalarOrVec1() || !number.getType().isIntegerDomain())
    return false;
  const glslang::TConstUnion& value = constant->getConstArray()[0];
  const std::int64_t index =
      number.getBasicType() == glslang::EbtUint ? std::int64_t{value.getUConst()} : std::int64_t{value.getIConst()};
  if (index >= 0 && index < count) return false;
  std::string message = "there is no " + std::to_string(index) + "; indices are 0 to " + std::to_string(count - 1);
  if (const std::string_view named = constant_of_length(base); !named.empty())
    message.append(", as ").append(named).append(" is ").append(std::to_string(count));
  context.error(where, message.c_str(), "[", "");
  return true;
}

/// glslang refuses variables not only as indices of a fragment shader's output arrays, but also of output vectors and
/// of the mask of samples.
TIntermTyped* index(TParseContext* context, const TSourceLoc& where, TIntermTyped* base,
                    TIntermTyped* number) asm("__wrap_" MOBULA_INDEX) __attribute__((used));
TIntermTyped* index(TParseContext* context, const TSourceLoc& where, TIntermTyped* base, TIntermTyped* number) {
  give_masks_a_size(*base);
  if (is_beyond_end(*context, where, *base, *number)) number = context->intermediate.addConstantUnion(0, where);
  TQualifier& how = base->getWritableType().getQualifier();
  const bool takes_variables = (base->isVector() && !base->isArray()) || is_mask_of_samples(*base);
  if (!takes_variables || how.storage != glslang::EvqVaryingOut) return library_index(context, where, base, number);
  how.storage = glslang::EvqGlobal;
  TIntermTyped* const made = library_index(context, where, base, number);
  how.storage = glslang::EvqVaryingOut;
  return made;
}

/// glslang takes `length` for what arrays have, also behind a structure with a member of that name.
TIntermTyped* field(TParseContext* context, const TSourceLoc& where, TIntermTyped* base,
                    const glslang::TString& name) asm("__wrap_" MOBULA_FIELD) __attribute__((used));
TIntermTyped* field(TParseContext* context, const TSourceLoc& where, TIntermTyped* base, const glslang::TString& name) {
  give_masks_a_size(*base);
  if (name != "length" || !base->isStruct() || base->isArray()) return library_field(context, where, base, name);
  const glslang::TTypeList& members = *base->getType().getStruct();
  const auto found =
      std::ranges::find(members, name, [](const glslang::TTypeLoc& each) { return each.type->getFieldName(); });
  if (found == members.end()) return library_field(context, where, base, name);
  const glslang::TString meanwhile = "length ";  // which no member has
  found->type->setFieldName(meanwhile);
  TIntermTyped* const made = library_field(context, where, base, meanwhile);
  found->type->setFieldName(name);
  return made;
}

/// Of a structure that no variable follows.
void type_alone(TParseContext* context, const TSourceLoc& where, const TPublicType& type) asm("__wrap_" MOBULA_TYPE)
    __attribute__((used));
void type_alone(TParseContext* context, const TSourceLoc& where, const TPublicType& type) {
  if (type.basicType == glslang::EbtStruct && type.qualifier.hasLayout())
    context->error(where, "variables and blocks have layouts, and this only names a structure", "layout", "");
  library_type(context, where, type);
}

/// glslang gives members offsets itself, and does not tell afterwards which the text has.
void member(TParseContext* context, TPublicType& type) asm("__wrap_" MOBULA_MEMBER) __attribute__((used));
void member(TParseContext* context, TPublicType& type) {
  if (context->isEsProfile() && type.qualifier.hasOffset())
    context->error(type.loc, "in GLSL ES only atomic counters have an offset", "offset", "");
  library_member(context, type);
}

/// Of GLSL before 1.30, which passes numbers from stage to stage as floats; the library asks that of GLSL ES alone.
bool passes_other_numbers(const TParseContext& context, const TQualifier& how, const TPublicType& type) {
  const bool is_passed = how.storage == glslang::EvqVaryingIn || how.storage == glslang::EvqVaryingOut;
  return is_passed && !context.isEsProfile() && context.version < 130 && type.basicType != glslang::EbtFloat;
}

/// Of functions: what they declare that is no member; outside of them es_rules.cpp looks at how memory is used.
void qualified(TParseContext* context, const TSourceLoc& where, const TQualifier& how,
               const TPublicType& type) asm("__wrap_" MOBULA_QUALIFIED) __attribute__((used));
void qualified(TParseContext* context, const TSourceLoc& where, const TQualifier& how, const TPublicType& type) {
  const bool is_local = !context->symbolTable.atGlobalLevel() && context->structNestingLevel == 0 &&
                        context->blockNestingLevel == 0 && reading().parentheses == 0;
  if (is_local && how.isMemory())
    context->error(where, "only buffers and images are coherent, volatile, restrict, readonly or writeonly",
                   how.readonly    ? "readonly"
                   : how.writeonly ? "writeonly"
                   : how.restrict  ? "restrict"
                   : how.volatil   ? "volatile"
                                   : "coherent",
                   "");
  if (passes_other_numbers(*context, how, type))
    return context->error(
        where, "before GLSL 1.30 only floats, their vectors and matrices are passed to a stage",
        how.storage == glslang::EvqVaryingIn && context->language == EShLangVertex ? "attribute" : "varying", "");
  library_qualified(context, where, how, type);
}

/// Of qualifiers that no declaration follows. glslang knows how large each side of a workgroup may be, and not how many
/// threads it may have.
void standalone(TParseContext* context, const TSourceLoc& where,
                const TPublicType& type) asm("__wrap_" MOBULA_STANDALONE) __attribute__((used));
void standalone(TParseContext* context, const TSourceLoc& where, const TPublicType& type) {
  const int errors = context->getNumErrors();
  library_standalone(context, where, type);
  if (context->language != EShLangCompute || context->getNumErrors() != errors) return;
  const auto side = [&](int i) { return std::uint64_t{context->intermediate.getLocalSize(i)}; };
  const std::uint64_t threads = side(0) * side(1) * side(2);
  if (threads <= most_threads_of_group) return;
  const std::string message = "a workgroup has " + std::to_string(most_threads_of_group) +
                              " threads at most, and this one has " + std::to_string(side(0)) + " x " +
                              std::to_string(side(1)) + " x " + std::to_string(side(2)) + " = " +
                              std::to_string(threads);
  context->error(where, message.c_str(), "layout", "");
}

void declare_unknown(TParseContext& context, const glslang::TString& name, const glslang::TType& type) {
  if (context.symbolTable.find(name) == nullptr) context.symbolTable.insert(*new glslang::TVariable(&name, type));
}

/// What a block declares is known where it is used, whatever is wrong with the block.
void block(TParseContext* context, const TSourceLoc& where, glslang::TTypeList& members,
           const glslang::TString* instance, glslang::TArraySizes* sizes) asm("__wrap_" MOBULA_BLOCK)
    __attribute__((used));
void block(TParseContext* context, const TSourceLoc& where, glslang::TTypeList& members,
           const glslang::TString* instance, glslang::TArraySizes* sizes) {
  const int errors = context->getNumErrors();
  library_block(context, where, members, instance, sizes);
  if (context->getNumErrors() == errors) return;
  if (instance != nullptr) {
    glslang::TType type(&members, *context->blockName, context->currentBlockQualifier);
    if (sizes != nullptr) type.copyArraySizes(*sizes);
    return declare_unknown(*context, *instance, type);
  }
  for (const glslang::TTypeLoc& member : members) declare_unknown(*context, member.type->getFieldName(), *member.type);
}

/// Samplers, images and counters are no operands; the library asks that of variables alone, and not of structures.
bool has_opaque(const TIntermTyped* one, const TIntermTyped* other) {
  return one->getType().containsOpaque() || other->getType().containsOpaque();
}

/// A condition that is no boolean has been told; glslang chooses by components of vectors, also among structures.
TIntermTyped* choice(glslang::TIntermediate* tree, TIntermTyped* condition, TIntermTyped* one, TIntermTyped* other,
                     const TSourceLoc& where) asm("__wrap_" MOBULA_CHOICE) __attribute__((used));
TIntermTyped* choice(glslang::TIntermediate* tree, TIntermTyped* condition, TIntermTyped* one, TIntermTyped* other,
                     const TSourceLoc& where) {
  if (!condition->getType().isScalar()) return other;
  const auto is_block = [](const TIntermTyped* each) { return each->getBasicType() == glslang::EbtBlock; };
  if (is_block(one) || is_block(other)) return nullptr;  // no operands: their names only lead to members
  if (has_opaque(one, other)) return nullptr;
  const bool has_array_choices = tree->getVersion() >= 120 || tree->getRequestedExtensions().contains(array_objects);
  if (one->isArray() && !has_array_choices) return nullptr;
  return library_choice(tree, condition, one, other, where);
}

/// In GLSL ES 1.00 and in GLSL to 1.30 all operators make constant expressions of such; later ones except this one.
TIntermTyped* sequence(glslang::TIntermediate* tree, TIntermTyped* one, TIntermTyped* other,
                       const TSourceLoc& where) asm("__wrap_" MOBULA_SEQUENCE) __attribute__((used));
TIntermTyped* sequence(glslang::TIntermediate* tree, TIntermTyped* one, TIntermTyped* other, const TSourceLoc& where) {
  if (has_opaque(one, other)) return nullptr;
  const bool may_be_constant = tree->getVersion() <= 130;
  glslang::TIntermConstantUnion* const value = other->getAsConstantUnion();
  if (!may_be_constant || one->getAsConstantUnion() == nullptr || value == nullptr)
    return library_sequence(tree, one, other, where);
  value->setExpression();
  reading().sequence_in_brackets = reading().brackets > 0;
  return value;
}

void extension(glslang::TParseVersions* context, int line, const char* extension,
               const char* behaviour) asm("__wrap_" MOBULA_EXTENSION) __attribute__((used));
void extension(glslang::TParseVersions* context, int line, const char* extension, const char* behaviour) {
  if (context->isEsProfile() && reading().before != 0)
    context->ppError(context->getCurrentLoc(), "extensions are named in front of everything but directives",
                     "#extension", "");
  // What it is for, elements of gl_FragData from 1 on, is there without it.
  const bool is_behaviour = std::ranges::find(behaviours, std::string_view(behaviour)) != behaviours.end();
  if (context->isEsProfile() && context->version == 100 && extension == draw_buffers && is_behaviour) return;
  // In front of the text it is on for the sake of #include.
  if (extension == names_in_lines && context->getCurrentLoc().string >= 0)
    reading().may_name_lines = std::string_view(behaviour) != "disable";
  if (!context->isEsProfile() && context->version == 140 && extension == compatibility && is_behaviour) {
    reading().has_fixed_functions = std::string_view(behaviour) != "disable";
    return;
  }
  library_extension(context, line, extension, behaviour);
}

/// What a directive has only with an extension.
void required(glslang::TParseVersions* context, const TSourceLoc& where, int count, const char* const extensions[],
              const char* what) asm("__wrap_" MOBULA_REQUIRED) __attribute__((used));
void required(glslang::TParseVersions* context, const TSourceLoc& where, int count, const char* const extensions[],
              const char* what) {
  Reading& now = reading();
  if (std::string_view(what) == "#include") now.may_name_lines = true;
  if (std::string_view(what) == "filename-based #line" && context->isEsProfile() && !now.may_name_lines)
    context->ppError(where,
                     "has numbers only in GLSL ES, of a line and of a text; a name needs #extension "
                     "GL_GOOGLE_cpp_style_line_directive : enable",
                     "#line", "");
  library_required(context, where, count, extensions, what);
}

/// The library would leave out what stands behind it.
void tell_of_branch_alone(TParseContext& context, Reading& now, std::string_view name) {
  if (!now.lacks_if) {
    const std::string word = '#' + std::string(name);
    context.ppError(context.getCurrentLoc(), "there is no #if that this belongs to", word.c_str(), "");
  }
  now.lacks_if = name != "endif";
}

/// A #line: what stands behind it is as far away from its number as it says. Those that the library puts around what is
/// included begin and end a text.
int line_directive(glslang::TPpContext& context, glslang::TPpToken* token, Reading& now, std::string_view line) {
  const glslang::TInputScanner* const text = now.reader->getScanner();
  if (Characters::is_around_text(*text)) {
    now.moved.erase(text);
    return library_directive(&context, token);
  }
  now.line_directive = now.reader->getCurrentLoc();
  check_line_directive(*now.reader, context, line, now.line_directive);
  const TSourceLoc before = text->getSourceLoc();
  const auto [moved, is_first] = now.moved.try_emplace(text);
  if (is_first) moved->second.file = before.getStringNameOrNum(false);
  const int source = Characters::source(*text);
  const char* const begin = Characters::place(*text);
  const int found = library_directive(&context, token);
  now.line_directive.line = 0;
  if (Characters::source(*text) == source)
    moved->second.lines +=
        before.line - text->getSourceLoc().line + static_cast<int>(std::count(begin, Characters::place(*text), '\n'));
  return found;
}

int directive(glslang::TPpContext* context, glslang::TPpToken* token) asm("__wrap_" MOBULA_DIRECTIVE)
    __attribute__((used));
int directive(glslang::TPpContext* context, glslang::TPpToken* token) {
  Reading& now = reading();
  if (now.reader == nullptr) return library_directive(context, token);
  const std::string_view line = Characters::rest_of_line(*now.reader->getScanner()), name = Tokens(line).next();
  const bool is_branch = name == "else" || name == "elif" || name == "endif";
  if (is_branch && !Preprocessor::is_in_condition(*context)) {
    tell_of_branch_alone(*now.reader, now, name);
    return Preprocessor::skip_line(*context, token);
  }
  return name == "line" ? line_directive(*context, token, now, line) : library_directive(context, token);
}

void directive_error(TParseContextBase* context, const TSourceLoc& where, const char* what, const char* token,
                     const char* more, ...) asm("__wrap_" MOBULA_DIRECTIVE_ERROR) __attribute__((used));
// NOLINTNEXTLINE(cert-dcl50-cpp): glslang calls it so
void directive_error(TParseContextBase* context, const TSourceLoc& where, const char* what, const char* token,
                     const char* more, ...) {
  std::array<char, 1024> text{};
  std::va_list arguments;
  va_start(arguments, more);
  std::vsnprintf(text.data(), text.size(), more, arguments);
  va_end(arguments);
  if (is_permitted(*context, what, text.data())) return;
  OfDirective said{what, token, text.data()};
  tell_of_macro(said);
  tell_of_condition(said);
  TSourceLoc place = where;
  // The line has been read to its end: the directive has less than it must.
  if (place.column == 0 && place.line > 1) {
    --place.line;
    place.column = 1;
  }
  if (reading().line_directive.line != 0) {
    tell_of_line(said);
    place.line = reading().line_directive.line;
  }
  tell_column(place, context->getScanner());
  library_directive_error(context, place, said.what.c_str(), said.token.c_str(), "%s", said.more.c_str());
}

/// The library says which extensions have quotations: ones that are of no use to anybody who writes one.
void extensions(glslang::TParseVersions* context, const TSourceLoc& where, int count, const char* const extensions[],
                const char* what) asm("__wrap_" MOBULA_EXTENSIONS) __attribute__((used));
void extensions(glslang::TParseVersions* context, const TSourceLoc& where, int count, const char* const extensions[],
                const char* what) {
  const bool is_of_quotation = std::string_view(what) == "string literal";
  if (!is_of_quotation || context->extensionsTurnedOn(count, extensions))
    return library_extensions(context, where, count, extensions, what);
  context->ppError(where, no_quotations.data(), "\"", "");
}

/// The preprocessor asks for versions at places that have no column yet.
TSourceLoc with_column(TSourceLoc where) {
  if (const TParseContext* const reader = reading().reader) tell_column(where, reader->getScanner());
  return where;
}

void profile(glslang::TParseVersions* context, const TSourceLoc& where, int profiles,
             const char* what) asm("__wrap_" MOBULA_PROFILE) __attribute__((used));
void profile(glslang::TParseVersions* context, const TSourceLoc& where, int profiles, const char* what) {
  library_profile(context, with_column(where), profiles, what);
}
void version_of_profile(glslang::TParseVersions* context, const TSourceLoc& where, int profiles, int version,
                        const char* extension, const char* what) asm("__wrap_" MOBULA_VERSION_OF_PROFILE)
    __attribute__((used));
void version_of_profile(glslang::TParseVersions* context, const TSourceLoc& where, int profiles, int version,
                        const char* extension, const char* what) {
  library_version_of_profile(context, with_column(where), profiles, version, extension, what);
}

/// GLSL 1.10 assigns and compares structures, whatever they hold; only arrays themselves it does not.
void arrays(TParseContext* context, const TSourceLoc& where, const glslang::TType& type,
            const char* what) asm("__wrap_" MOBULA_ARRAYS) __attribute__((used));
void arrays(TParseContext* context, const TSourceLoc& where, const glslang::TType& type, const char* what) {
  const bool is_structure_of_110 = !context->isEsProfile() && context->version == 110 && !type.isArray();
  if (!is_structure_of_110) library_arrays(context, where, type, what);
}

}  // namespace mobula::compile
