/* The C interface of mobula: for programs in C, and in any language that calls C.
 *
 * Every function that can fail returns a mobula_status. No exception and no abort comes out of one. What there is to
 * say, errors as well as warnings, is given out through the last argument, `diagnostics`: the caller frees it; it is
 * set to NULL where there is nothing to say, and may be NULL itself if nobody wants to know.
 *
 * Handles are opaque. What a function gives out through `T** name` belongs to the caller, who frees it with the
 * function of its type; these take NULL. On failure it is set to NULL. A mobula_string, and every pointer in a
 * structure, belongs to the handle that it comes from and is good until that is freed. Handles are independent of each
 * other: a listing outlives its program.
 *
 * Structures begin with `size`, which the caller sets to sizeof the structure, in those that are read as well as in
 * those that are filled. A later version may add members at the end; a program that knows fewer of them keeps working.
 * What options do not say, zero or NULL, has a default: start from { .size = sizeof options }.
 *
 * Text is UTF-8. A file, name or document that is a `const char*` argument ends with a zero byte; one with a `size`
 * after it need not. A handle may be used by one thread at a time, different handles by different threads.
 *
 * Link with -lmobula-c. docs/c-interface.md explains it, examples/disassemble.c is a whole program. */
#ifndef MOBULA_C_H
#define MOBULA_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MOBULA_C_API __attribute__((visibility("default")))

/* The type of enumerations that a program passes in: any number may arrive, and one without a name is an error. C++
 * allows that only where the type is given. */
#ifdef __cplusplus
#define MOBULA_C_CHOICE : unsigned int
#else
#define MOBULA_C_CHOICE
#endif

/* ---- the library */

/* Of this header: a program works with a library of the same major and the same or a greater minor number. */
#define MOBULA_ABI_MAJOR 1
#define MOBULA_ABI_MINOR 1

/* Of the library: major << 16 | minor. */
MOBULA_C_API uint32_t mobula_abi_version(void);
/* Of mobula: "0.1.0". */
MOBULA_C_API const char* mobula_version(void);

typedef enum mobula_status {
  MOBULA_OK = 0,
  MOBULA_ERROR = 1,        /* the input has errors: the diagnostics say which */
  MOBULA_BAD_ARGUMENT = 2, /* a NULL, an index or a `size` that cannot be: a mistake of the caller */
  MOBULA_NO_MEMORY = 3,
  MOBULA_INTERNAL = 4,    /* a bug of the library */
  MOBULA_STOPPED = 5,     /* by the caller's `stop` */
  MOBULA_UNSUPPORTED = 6, /* not in this build of the library */
} mobula_status;
/* "ok", "error" ... */
MOBULA_C_API const char* mobula_status_name(mobula_status status);

/* `data` is followed by a zero byte that `size` does not count; never NULL. */
typedef struct mobula_string {
  const char* data;
  size_t size;
} mobula_string;

/* Text or bytes that the caller owns. */
typedef struct mobula_buffer mobula_buffer;
MOBULA_C_API mobula_string mobula_buffer_text(const mobula_buffer* buffer);
MOBULA_C_API void mobula_buffer_free(mobula_buffer* buffer);

/* ---- diagnostics */

typedef enum mobula_severity { MOBULA_NOTE = 0, MOBULA_WARNING = 1, MOBULA_SEVERE = 2 } mobula_severity;

typedef struct mobula_diagnostic {
  size_t size;
  mobula_severity severity;
  mobula_string code;    /* of the rule: "MD014" */
  mobula_string file;    /* empty: there is none */
  uint32_t line, column; /* from 1; 0: not a place in a text; column counts bytes */
  uint32_t length;       /* bytes that are meant */
  int has_byte_offset;   /* 1: `byte_offset` is the place of the word in the program */
  uint64_t byte_offset;
  uint32_t bit_low, bit_width; /* of that word; width 0: all of it */
  mobula_string message, hint; /* hint: how to mend it; may be empty */
} mobula_diagnostic;

typedef struct mobula_diagnostics mobula_diagnostics;
/* 0 for NULL. */
MOBULA_C_API size_t mobula_diagnostics_count(const mobula_diagnostics* diagnostics);
MOBULA_C_API mobula_status mobula_diagnostics_at(const mobula_diagnostics* diagnostics, size_t index,
                                                 mobula_diagnostic* diagnostic);
/* All of them as the command prints them, with lines and carets. */
MOBULA_C_API mobula_string mobula_diagnostics_text(const mobula_diagnostics* diagnostics);
MOBULA_C_API void mobula_diagnostics_free(mobula_diagnostics* diagnostics);

/* ---- machines; what they point to lives for ever */

typedef struct mobula_machine {
  size_t size;
  const char *name, *summary, *extension; /* extension: of files with its own text, ".mdg" */
  uint32_t word_bytes;                    /* whole code is a multiple of this */
  size_t variants, syntaxes;              /* how many there are; the first is the default */
} mobula_machine;

typedef struct mobula_variant {
  size_t size;
  const char *name, *product, *summary;
  const char* same_as; /* the variant that this is another name of; empty: none */
} mobula_variant;

typedef struct mobula_syntax {
  size_t size;
  const char *name, *summary;
  int prints, parses; /* 1 or 0 */
} mobula_syntax;

MOBULA_C_API size_t mobula_machine_count(void);
MOBULA_C_API mobula_status mobula_machine_at(size_t index, mobula_machine* machine);
MOBULA_C_API mobula_status mobula_variant_at(const char* machine, size_t index, mobula_variant* variant);
MOBULA_C_API mobula_status mobula_syntax_at(const char* machine, size_t index, mobula_syntax* syntax);

/* ---- programs */

typedef struct mobula_program mobula_program;

typedef struct mobula_load_options {
  size_t size;
  const char* machine; /* "midgard:t860"; NULL: what the container, the side file, the text or its name says */
  const char* file;    /* name for diagnostics; NULL: "bytes" */
  const char* side;    /* the text of a side file (docs/run-files.md); NULL: none */
  size_t side_size;
} mobula_load_options;

/* Machine code in any container, hexadecimal text or assembly. `options` may be NULL. */
MOBULA_C_API mobula_status mobula_load(const void* bytes, size_t size, const mobula_load_options* options,
                                       mobula_program** program, mobula_diagnostics** diagnostics);
/* The same of a file; a side file beside it is read, too. `machine` may be NULL. */
MOBULA_C_API mobula_status mobula_load_file(const char* file, const char* machine, mobula_program** program,
                                            mobula_diagnostics** diagnostics);
/* Assembles a text in the machine's own syntax. All errors are given out. */
MOBULA_C_API mobula_status mobula_assemble(const char* text, size_t size, const char* machine, const char* file,
                                           mobula_program** program, mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_program_free(mobula_program* program);

typedef struct mobula_program_info {
  size_t size;
  mobula_string file, machine, variant;
  mobula_string stage; /* "vertex", "fragment", "compute" or "unknown" */
  const uint8_t* code;
  size_t code_size;
  uint64_t entry; /* byte offset of the first word executed */
  size_t labels;
} mobula_program_info;
MOBULA_C_API mobula_status mobula_program_about(const mobula_program* program, mobula_program_info* info);

typedef struct mobula_label {
  size_t size;
  mobula_string name;
  uint64_t byte_offset;
} mobula_label;
MOBULA_C_API mobula_status mobula_program_label(const mobula_program* program, size_t index, mobula_label* label);

typedef enum mobula_format MOBULA_C_CHOICE { MOBULA_RAW = 0, MOBULA_HEX = 1, MOBULA_SIDE_FILE = 2 } mobula_format;
/* The code as bytes or as hexadecimal text, or what is known beside it as the text of a side file. */
MOBULA_C_API mobula_status mobula_encode(const mobula_program* program, mobula_format format, mobula_buffer** buffer,
                                         mobula_diagnostics** diagnostics);

typedef enum mobula_effort MOBULA_C_CHOICE {
  MOBULA_USUAL_EFFORT = 0, /* as MOBULA_MOST_EFFORT */
  MOBULA_LEAST_EFFORT = 1, /* mobula compile -O0 */
  MOBULA_SOME_EFFORT = 2,  /* -O1 */
  MOBULA_MOST_EFFORT = 3,  /* -O2 */
} mobula_effort;
typedef struct mobula_compile_options {
  size_t size;
  const char* machine; /* "midgard:t860" */
  const char* file;    /* name for diagnostics, whose ending tells the stage: "phong.frag"; NULL: "shader.frag" */
  mobula_effort effort;
  uint32_t runs; /* executions of the result beside the source, at most 1 million; 0: 16 */
} mobula_compile_options;

/* Compiles a shader in GLSL or SPIR-V, and executes the result beside its source. With MOBULA_OK the diagnostics are
 * warnings, where there are any: of the source (CO002), and that nothing could be compared (VF003).
 * MOBULA_UNSUPPORTED: the library was built without a compiler. */
MOBULA_C_API mobula_status mobula_compile(const void* source, size_t source_size, const mobula_compile_options* options,
                                          mobula_program** program, mobula_diagnostics** diagnostics);

/* ---- listings */

typedef struct mobula_listing mobula_listing;

typedef struct mobula_listing_options {
  size_t size;
  const char* syntax; /* NULL: the machine's own */
  int bytes;          /* 1: each word is preceded by a comment with its offset and bytes */
  int directive;      /* 1: the text begins with ".machine NAME:VARIANT" */
} mobula_listing_options;

/* Never fails on any bytes. `options` may be NULL. */
MOBULA_C_API mobula_status mobula_disassemble(const mobula_program* program, const mobula_listing_options* options,
                                              mobula_listing** listing, mobula_diagnostics** diagnostics);
MOBULA_C_API mobula_string mobula_listing_text(const mobula_listing* listing);
MOBULA_C_API void mobula_listing_free(mobula_listing* listing);

typedef struct mobula_word {
  size_t size;
  uint64_t byte_offset;
  uint32_t byte_length;
  size_t text_begin, text_end; /* its lines in the text */
} mobula_word;
MOBULA_C_API size_t mobula_listing_word_count(const mobula_listing* listing);
MOBULA_C_API mobula_status mobula_listing_word(const mobula_listing* listing, size_t index, mobula_word* word);

typedef enum mobula_token_kind {
  MOBULA_COMMENT = 0,
  MOBULA_DIRECTIVE = 1,
  MOBULA_LABEL = 2, /* where it stands, or where it is jumped to */
  MOBULA_MNEMONIC = 3,
  MOBULA_REGISTER = 4,
  MOBULA_NUMBER = 5,
  MOBULA_NAME = 6, /* any other word: units, modifiers, components */
  MOBULA_SIGN = 7,
} mobula_token_kind;
typedef struct mobula_token {
  size_t size;
  mobula_token_kind kind;
  size_t begin, end; /* in the text */
} mobula_token;
/* Between tokens there is only space. */
MOBULA_C_API size_t mobula_listing_token_count(const mobula_listing* listing);
MOBULA_C_API mobula_status mobula_listing_token(const mobula_listing* listing, size_t index, mobula_token* token);

typedef struct mobula_jump {
  size_t size;
  uint64_t from; /* byte offset of the word */
  int has_target;
  uint64_t to;
  const char* kind; /* "taken", "jump", "indirect", "back" (returns or ends) ... as in mobula cfg */
} mobula_jump;
/* Where control may go after a word, other than to the next one. */
MOBULA_C_API size_t mobula_listing_jump_count(const mobula_listing* listing);
MOBULA_C_API mobula_status mobula_listing_jump(const mobula_listing* listing, size_t index, mobula_jump* jump);

/* ---- what a program means */

/* Every rule of the machine; MOBULA_ERROR if one that is an error is broken. */
MOBULA_C_API mobula_status mobula_check(const mobula_program* program, mobula_diagnostics** diagnostics);

typedef enum mobula_picture MOBULA_C_CHOICE { MOBULA_TEXT = 0, MOBULA_SVG = 1 } mobula_picture;
/* Every field of every word, bit by bit. */
MOBULA_C_API mobula_status mobula_explain(const mobula_program* program, mobula_picture form, mobula_buffer** text,
                                          mobula_diagnostics** diagnostics);

/* The micro-operations of all words, as `mobula ir` prints them. MOBULA_ERROR: a word cannot be decoded. */
MOBULA_C_API mobula_status mobula_lift(const mobula_program* program, mobula_buffer** text,
                                       mobula_diagnostics** diagnostics);

typedef struct mobula_effects mobula_effects;
typedef struct mobula_effect {
  size_t size;
  uint64_t byte_offset;  /* of the word */
  mobula_string slot;    /* "r0.x" */
  int writes;            /* 0: reads what an earlier word, or the start, has left there */
  uint32_t first, bytes; /* the bytes of the slot that it touches */
  uint32_t slot_bytes;   /* more than `bytes`: the effect is partial */
  int implicit;          /* 1: the text of the word names neither the slot nor its register */
} mobula_effect;
/* What each word reads and writes, to the byte; by word, reads first. */
MOBULA_C_API mobula_status mobula_effects_of(const mobula_program* program, mobula_effects** effects,
                                             mobula_diagnostics** diagnostics);
MOBULA_C_API size_t mobula_effects_count(const mobula_effects* effects);
MOBULA_C_API mobula_status mobula_effects_at(const mobula_effects* effects, size_t index, mobula_effect* effect);
MOBULA_C_API void mobula_effects_free(mobula_effects* effects);

/* ---- running */

typedef struct mobula_inputs mobula_inputs;
/* From a document as `mobula run --inputs` takes it; `json` may be NULL: nothing is given yet. `folder` is where files
 * that it names are; NULL: it may name none. */
MOBULA_C_API mobula_status mobula_inputs_new(const mobula_program* program, const char* json, size_t size,
                                             const char* folder, mobula_inputs** inputs,
                                             mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_inputs_free(mobula_inputs* inputs);

typedef enum mobula_number MOBULA_C_CHOICE { MOBULA_FLOAT32 = 0, MOBULA_INT32 = 1, MOBULA_UINT32 = 2 } mobula_number;
/* Values of the attribute or varying (a row for each thread, or one for all), uniform or buffer of that name in the
 * source: rows * columns numbers of 32 bits. Whole numbers become floats where the program takes floats. */
MOBULA_C_API mobula_status mobula_inputs_set(mobula_inputs* inputs, const char* name, mobula_number kind,
                                             const void* values, size_t rows, size_t columns,
                                             mobula_diagnostics** diagnostics);
/* Of a varying at the corners of an image: left-top, right-top, left-bottom, right-bottom. */
MOBULA_C_API mobula_status mobula_inputs_set_corners(mobula_inputs* inputs, const char* name, mobula_number kind,
                                                     const void* values, size_t columns,
                                                     mobula_diagnostics** diagnostics);
/* A picture for the sampler of that name; `format` as in docs/run-files.md, "rgba8_unorm". */
MOBULA_C_API mobula_status mobula_inputs_set_texture(mobula_inputs* inputs, const char* name, uint32_t width,
                                                     uint32_t height, const char* format, const void* texels,
                                                     size_t texels_size, mobula_diagnostics** diagnostics);

typedef struct mobula_run_options {
  size_t size;
  uint32_t threads;                   /* vertices or fragments; 0: as many as the inputs say */
  uint32_t image_width, image_height; /* 0: no image; else a fragment for each pixel, or lines of triangles */
  uint32_t os_threads;                /* 0: 1 */
  int (*stop)(void* user);            /* asked every few milliseconds, by any of the OS threads; not 0: the run ends */
  void* user;
} mobula_run_options;

typedef struct mobula_result mobula_result;
/* Threads that fault are errors among the diagnostics of a result that is given out all the same, with MOBULA_OK.
 * `inputs` and `options` may be NULL. */
MOBULA_C_API mobula_status mobula_run(const mobula_program* program, const mobula_inputs* inputs,
                                      const mobula_run_options* options, mobula_result** result,
                                      mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_result_free(mobula_result* result);

typedef struct mobula_counts {
  size_t size;
  uint64_t started, ended, discarded, faulted; /* threads */
} mobula_counts;
MOBULA_C_API mobula_status mobula_result_counts(const mobula_result* result, mobula_counts* counts);

typedef struct mobula_array {
  size_t size;
  mobula_string name;
  mobula_number kind;
  size_t dimensions;  /* 1 to 3 */
  size_t shape[3];    /* outermost first: threads, components; of buffers words; of "image" height, width, 4 */
  const void* values; /* in the memory of the result */
} mobula_array;
/* Outputs by name, and "image" if one was wanted. */
MOBULA_C_API size_t mobula_result_array_count(const mobula_result* result);
MOBULA_C_API mobula_status mobula_result_array(const mobula_result* result, size_t index, mobula_array* array);
/* MOBULA_ERROR: there is none of that name. */
MOBULA_C_API mobula_status mobula_result_array_named(const mobula_result* result, const char* name,
                                                     mobula_array* array);
/* All of it, as `mobula run --json` without its envelope. */
MOBULA_C_API mobula_status mobula_result_json(const mobula_result* result, mobula_buffer** json,
                                              mobula_diagnostics** diagnostics);
/* The image as a PNG file. MOBULA_ERROR: there is none. */
MOBULA_C_API mobula_status mobula_result_png(const mobula_result* result, mobula_buffer** png,
                                             mobula_diagnostics** diagnostics);

/* ---- timing */

typedef struct mobula_timing mobula_timing;
typedef struct mobula_timing_options {
  size_t size;
  uint32_t threads;    /* 0: twice what the core holds */
  uint64_t max_cycles; /* 0: 100 million */
  const char* costs;   /* a JSON object of parameters and whole numbers; NULL: defaults (mobula time --params) */
} mobula_timing_options;

typedef struct mobula_estimate {
  size_t size;
  uint64_t words, instructions, quadwords;
  uint32_t loops;
  uint64_t spills, fills;
  uint32_t work_registers, uniform_registers;
  uint32_t threads, most_threads; /* that a core holds with these registers; and at most */
} mobula_estimate;

typedef struct mobula_simulation {
  size_t size;
  uint64_t cycles;
  int complete; /* 0: stopped at max_cycles */
  uint32_t threads, threads_at_once;
  uint64_t resident, executing; /* thread-cycles */
} mobula_simulation;

/* Estimate and simulation. `options` may be NULL. */
MOBULA_C_API mobula_status mobula_time(const mobula_program* program, const mobula_timing_options* options,
                                       mobula_timing** timing, mobula_diagnostics** diagnostics);
MOBULA_C_API mobula_status mobula_timing_estimate(const mobula_timing* timing, mobula_estimate* estimate);
/* MOBULA_ERROR: no path leads through the program. */
MOBULA_C_API mobula_status mobula_timing_simulation(const mobula_timing* timing, mobula_simulation* simulation);
/* As `mobula time --json`, and as `mobula time` for a person. */
MOBULA_C_API mobula_status mobula_timing_json(const mobula_timing* timing, mobula_buffer** json,
                                              mobula_diagnostics** diagnostics);
MOBULA_C_API mobula_status mobula_timing_report(const mobula_timing* timing, mobula_buffer** text,
                                                mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_timing_free(mobula_timing* timing);

/* ---- the scoreboard core (docs/scoreboard.md); since 1.1 */

typedef struct mobula_preset {
  size_t size;
  const char* name;
  mobula_string json; /* its configuration */
} mobula_preset;
/* Cores that come with mobula; what they point to lives for ever. */
MOBULA_C_API size_t mobula_preset_count(void);
MOBULA_C_API mobula_status mobula_preset_at(size_t index, mobula_preset* preset);

typedef struct mobula_core mobula_core;
/* The preset of that name, or a configuration as JSON. */
MOBULA_C_API mobula_status mobula_core_new(const char* text, size_t size, mobula_core** core,
                                           mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_core_free(mobula_core* core);

typedef struct mobula_workload mobula_workload;
/* As text or binary. `file` is its name for diagnostics; NULL: "workload". */
MOBULA_C_API mobula_status mobula_workload_read(const void* bytes, size_t size, const char* file,
                                                mobula_workload** workload, mobula_diagnostics** diagnostics);
/* A synthetic one of the mix "int" or "fp", of 1 to 10 million operations; the same for the same arguments. */
MOBULA_C_API mobula_status mobula_workload_generate(const char* mix, uint32_t operations, uint64_t seed,
                                                    mobula_workload** workload, mobula_diagnostics** diagnostics);
MOBULA_C_API size_t mobula_workload_count(const mobula_workload* workload);
MOBULA_C_API mobula_status mobula_workload_text(const mobula_workload* workload, mobula_buffer** text,
                                                mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_workload_free(mobula_workload* workload);

typedef struct mobula_scoreboard_options {
  size_t size;
  uint64_t max_clocks;     /* 0: 100 million */
  int (*stop)(void* user); /* asked every 1024 clocks, and before; not 0: the run ends */
  void* user;
} mobula_scoreboard_options;
typedef struct mobula_scoreboard_run mobula_scoreboard_run;
/* MOBULA_ERROR: they do not fit, a deadlock, or max_clocks. `options` may be NULL. */
MOBULA_C_API mobula_status mobula_run_scoreboard(const mobula_core* core, const mobula_workload* workload,
                                                 const mobula_scoreboard_options* options, mobula_scoreboard_run** run,
                                                 mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_scoreboard_run_free(mobula_scoreboard_run* run);

typedef struct mobula_clocks {
  size_t size;
  uint64_t clocks, executed, killed, skipped;
  double ipc; /* operations a clock */
} mobula_clocks;
MOBULA_C_API mobula_status mobula_scoreboard_clocks(const mobula_scoreboard_run* run, mobula_clocks* clocks);

typedef struct mobula_operation {
  size_t size;
  uint32_t id, unit;
  uint32_t issue, read, start, complete, write, kill; /* clocks; 0: never */
} mobula_operation;
/* By position in the workload. */
MOBULA_C_API mobula_status mobula_scoreboard_operation(const mobula_scoreboard_run* run, size_t index,
                                                       mobula_operation* operation);

typedef struct mobula_named_count {
  size_t size;
  mobula_string name;
  uint64_t count;
} mobula_named_count;
/* Clocks by the reason why the oldest operation was not issued; and final values of the registers that the workload
 * touches. MOBULA_BAD_ARGUMENT past the last one. */
MOBULA_C_API mobula_status mobula_scoreboard_cause(const mobula_scoreboard_run* run, size_t index,
                                                   mobula_named_count* cause);
MOBULA_C_API mobula_status mobula_scoreboard_register(const mobula_scoreboard_run* run, size_t index,
                                                      mobula_named_count* value);
/* As `mobula scoreboard run` for a person. */
MOBULA_C_API mobula_status mobula_scoreboard_report(const mobula_scoreboard_run* run, mobula_buffer** text,
                                                    mobula_diagnostics** diagnostics);

/* ---- firmware of command processors; since 1.1 */

typedef struct mobula_firmware mobula_firmware;
/* What these images make up together: one, or those that run side by side. */
MOBULA_C_API mobula_status mobula_firmware_new(const mobula_program* const* images, size_t count,
                                               mobula_firmware** firmware, mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_firmware_free(mobula_firmware* firmware);
/* A command stream as words, text or a capture, for the core of that name, "BV"; NULL: the first one. Streams of
 * different cores run at the same time, those of one after each other. */
MOBULA_C_API mobula_status mobula_firmware_add_stream(mobula_firmware* firmware, const char* core, const void* bytes,
                                                      size_t size, const char* file, mobula_diagnostics** diagnostics);
/* Words in memory; the address is a multiple of 4. */
MOBULA_C_API mobula_status mobula_firmware_add_memory(mobula_firmware* firmware, uint64_t address,
                                                      const uint32_t* words, size_t count);

typedef struct mobula_firmware_options {
  size_t size;
  uint64_t packet_instructions; /* that a core may execute without waiting for a packet; 0: 1 << 20 */
  int all_events;               /* 1: reads and control registers, too */
  int profile;                  /* 1: keep what the profile tells */
} mobula_firmware_options;
typedef struct mobula_firmware_run mobula_firmware_run;
/* Boots, and processes the streams. What went wrong there is errors among the diagnostics of a run that is given out
 * all the same, with MOBULA_OK. `options` may be NULL. */
MOBULA_C_API mobula_status mobula_run_firmware(const mobula_firmware* firmware, const mobula_firmware_options* options,
                                               mobula_firmware_run** run, mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_firmware_run_free(mobula_firmware_run* run);

typedef struct mobula_firmware_core {
  size_t size;
  mobula_string name;   /* "SQE" */
  mobula_string halt;   /* "idle": waits for a packet; "stuck", "endless", "fault", "off" */
  mobula_string reason; /* empty when idle */
  uint32_t pc;          /* word in its program */
  uint64_t instructions, cycle;
} mobula_firmware_core;
/* As the run has left them. MOBULA_BAD_ARGUMENT past the last one. */
MOBULA_C_API mobula_status mobula_firmware_core_at(const mobula_firmware_run* run, size_t index,
                                                   mobula_firmware_core* core);

typedef struct mobula_packet {
  size_t size;
  uint32_t core;
  mobula_string name; /* "CP_NOP" */
  uint32_t header, handler;
  uint64_t instructions;
} mobula_packet;
MOBULA_C_API size_t mobula_firmware_packet_count(const mobula_firmware_run* run);
MOBULA_C_API mobula_status mobula_firmware_packet(const mobula_firmware_run* run, size_t index, mobula_packet* packet);

typedef struct mobula_event {
  size_t size;
  uint32_t core;
  mobula_string kind; /* "gpu_write", "memory_write" ... as in mobula run --json */
  mobula_string name; /* of the register or packet; may be empty */
  uint64_t address;
  uint32_t value;
} mobula_event;
/* What the firmware did to the world, in order. */
MOBULA_C_API size_t mobula_firmware_event_count(const mobula_firmware_run* run);
MOBULA_C_API mobula_status mobula_firmware_event(const mobula_firmware_run* run, size_t index, mobula_event* event);

/* The dword at an address, and the GPU register "CP_SCRATCH[2]", as the run has left them. */
MOBULA_C_API mobula_status mobula_firmware_memory(const mobula_firmware_run* run, uint64_t address, uint32_t* value);
MOBULA_C_API mobula_status mobula_firmware_register(const mobula_firmware_run* run, const char* name, uint32_t* value,
                                                    mobula_diagnostics** diagnostics);

typedef enum mobula_firmware_view MOBULA_C_CHOICE {
  MOBULA_FIRMWARE_REPORT = 0,
  MOBULA_FIRMWARE_COVERAGE = 1,
  MOBULA_FIRMWARE_PROFILE = 2,   /* of a run with `profile`, as the next; MOBULA_BAD_ARGUMENT of another */
  MOBULA_FIRMWARE_COLLAPSED = 3, /* the same as lines for flame graphs */
} mobula_firmware_view;
/* As `mobula run` prints it. */
MOBULA_C_API mobula_status mobula_firmware_text(const mobula_firmware_run* run, mobula_firmware_view view,
                                                mobula_buffer** text, mobula_diagnostics** diagnostics);

/* ---- the debugger, of programs, firmware and workloads; since 1.1 */

typedef struct mobula_debugger mobula_debugger;
/* It keeps what it needs of its arguments; `inputs` may be NULL. */
MOBULA_C_API mobula_status mobula_debug_program(const mobula_program* program, const mobula_inputs* inputs,
                                                mobula_debugger** debugger, mobula_diagnostics** diagnostics);
MOBULA_C_API mobula_status mobula_debug_firmware(const mobula_firmware* firmware, mobula_debugger** debugger,
                                                 mobula_diagnostics** diagnostics);
MOBULA_C_API mobula_status mobula_debug_workload(const mobula_core* core, const mobula_workload* workload,
                                                 mobula_debugger** debugger, mobula_diagnostics** diagnostics);
MOBULA_C_API void mobula_debugger_free(mobula_debugger* debugger);

/* Why it stopped. */
typedef enum mobula_halt {
  MOBULA_STEPPED = 0,
  MOBULA_AT_BREAKPOINT = 1,
  MOBULA_AT_WATCH = 2,
  MOBULA_FAULTED = 3,
  MOBULA_ENDED = 4,
  MOBULA_AT_BEGINNING = 5,
  MOBULA_UNFINISHED = 6, /* went as far as was allowed */
  MOBULA_DEADLOCK = 7,
} mobula_halt;
/* Words of the current thread, instructions of the current core, or clocks. */
MOBULA_C_API mobula_status mobula_debugger_step(mobula_debugger* debugger, uint64_t count, mobula_halt* halt,
                                                mobula_diagnostics** diagnostics);
MOBULA_C_API mobula_status mobula_debugger_back(mobula_debugger* debugger, uint64_t count, mobula_halt* halt,
                                                mobula_diagnostics** diagnostics);
/* To a breakpoint or the end, no further than `most` words, instructions or clocks; 0: without a limit. */
MOBULA_C_API mobula_status mobula_debugger_go(mobula_debugger* debugger, uint64_t most, mobula_halt* halt,
                                              mobula_diagnostics** diagnostics);
MOBULA_C_API mobula_status mobula_debugger_go_back(mobula_debugger* debugger, mobula_halt* halt,
                                                   mobula_diagnostics** diagnostics);
/* Stops before a word ("L4", "0x20", "CP_NOP+1"); in workloads after what becomes of an operation ("write 17"). */
MOBULA_C_API mobula_status mobula_debugger_break(mobula_debugger* debugger, const char* place, uint32_t* number,
                                                 mobula_diagnostics** diagnostics);
/* Stops after a change of a register: "r0.x", "$02", "F6". */
MOBULA_C_API mobula_status mobula_debugger_watch(mobula_debugger* debugger, const char* name, uint32_t* number,
                                                 mobula_diagnostics** diagnostics);
/* MOBULA_ERROR: there is none of that number. */
MOBULA_C_API mobula_status mobula_debugger_remove(mobula_debugger* debugger, uint32_t number);

typedef struct mobula_value {
  size_t size;
  int is_real;     /* 1: `real` is what it is; 0: `integer` */
  int64_t integer; /* of four bytes that may be a float: their pattern, and `real` the float */
  double real;
} mobula_value;
/* "r0.x + 1", "*0x1000", "clock". */
MOBULA_C_API mobula_status mobula_debugger_evaluate(mobula_debugger* debugger, const char* expression,
                                                    mobula_value* value, mobula_diagnostics** diagnostics);
/* Makes another thread or core the current one. Workloads have only 0. */
MOBULA_C_API mobula_status mobula_debugger_choose(mobula_debugger* debugger, uint32_t which,
                                                  mobula_diagnostics** diagnostics);

typedef struct mobula_place {
  size_t size;
  uint64_t position; /* byte offset of the next word of a program, word of firmware; clocks that have passed */
  uint64_t executed; /* words, instructions, operations of all */
  int ended;         /* 1: the current thread, or everything, has; `position` says nothing where it is a program's */
} mobula_place;
MOBULA_C_API mobula_status mobula_debugger_where(const mobula_debugger* debugger, mobula_place* place);

#ifdef __cplusplus
}
#endif

#endif
