/* The C interface from C: what each function gives for good, wrong and missing arguments. Runs in the project's folder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "mobula/mobula_c.h"

static int is(mobula_string text, const char* wanted) {
  return text.size == strlen(wanted) && memcmp(text.data, wanted, text.size + 1) == 0;
}
static int contains(mobula_string text, const char* part) { return strstr(text.data, part) != NULL; }

static mobula_program* loaded(const char* file) {
  mobula_program* program = NULL;
  mobula_diagnostics* problems = NULL;
  if (mobula_load_file(file, NULL, &program, &problems) != MOBULA_OK) {
    fputs(mobula_diagnostics_text(problems).data, stderr);
    exit(1);
  }
  mobula_diagnostics_free(problems);
  return program;
}

static mobula_program* assembled(const char* text) {
  mobula_program* program = NULL;
  EXPECT(mobula_assemble(text, strlen(text), "midgard:t860", "t.mdg", &program, NULL) == MOBULA_OK);
  return program;
}

static void library_and_machines(void) {
  EXPECT(mobula_abi_version() == (MOBULA_ABI_MAJOR << 16 | MOBULA_ABI_MINOR));
  EXPECT(strcmp(mobula_status_name(MOBULA_STOPPED), "stopped") == 0);
  int found = 0;
  for (size_t i = 0; i < mobula_machine_count(); ++i) {
    mobula_machine machine = {.size = sizeof machine};
    EXPECT(mobula_machine_at(i, &machine) == MOBULA_OK);
    if (strcmp(machine.name, "midgard") != 0) continue;
    found = 1;
    EXPECT(machine.word_bytes == 16 && machine.variants > 5 && strcmp(machine.extension, ".mdg") == 0);
    mobula_variant variant = {.size = sizeof variant};
    EXPECT(mobula_variant_at("midgard", 0, &variant) == MOBULA_OK && variant.name[0] == 't');
    EXPECT(mobula_variant_at("midgard", machine.variants, &variant) == MOBULA_BAD_ARGUMENT);
    mobula_syntax syntax = {.size = sizeof syntax};
    EXPECT(mobula_syntax_at("midgard", 0, &syntax) == MOBULA_OK && syntax.prints == 1 && syntax.parses == 1);
  }
  EXPECT(found);
  EXPECT(mobula_variant_at("nobody", 0, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_variant_at(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT);
}

/* A caller of an older header knows fewer members: nothing is written behind them. */
static void structures_of_older_callers(void) {
  mobula_machine machine;
  memset(&machine, 0x55, sizeof machine);
  machine.size = offsetof(mobula_machine, summary);
  EXPECT(mobula_machine_at(0, &machine) == MOBULA_OK);
  EXPECT(machine.size == offsetof(mobula_machine, summary) && machine.name[0] != '\0' &&
         machine.word_bytes == 0x55555555);
  machine.size = 0;
  EXPECT(mobula_machine_at(0, &machine) == MOBULA_BAD_ARGUMENT);
}

static void programs_come_and_go(void) {
  mobula_program* program = loaded("examples/checker.frag.bin");
  mobula_program_info info = {.size = sizeof info};
  EXPECT(mobula_program_about(program, &info) == MOBULA_OK);
  EXPECT(is(info.machine, "midgard") && is(info.stage, "fragment") && info.code_size == 240);
  mobula_buffer *hex = NULL, *side = NULL, *raw = NULL;
  EXPECT(mobula_encode(program, MOBULA_HEX, &hex, NULL) == MOBULA_OK);
  EXPECT(mobula_encode(program, MOBULA_SIDE_FILE, &side, NULL) == MOBULA_OK);
  EXPECT(mobula_encode(program, MOBULA_RAW, &raw, NULL) == MOBULA_OK);
  const mobula_string text = mobula_buffer_text(hex), beside = mobula_buffer_text(side);
  const mobula_load_options options = {.size = sizeof options,
                                       .machine = "midgard:t860",
                                       .file = "again",
                                       .side = beside.data,
                                       .side_size = beside.size};
  mobula_program* again = NULL;
  EXPECT(mobula_load(text.data, text.size, &options, &again, NULL) == MOBULA_OK);
  mobula_program_info other = {.size = sizeof other};
  EXPECT(mobula_program_about(again, &other) == MOBULA_OK);
  EXPECT(is(other.file, "again") && is(other.stage, "fragment") && other.code_size == info.code_size);
  EXPECT(memcmp(other.code, mobula_buffer_text(raw).data, info.code_size) == 0);
  mobula_buffer_free(hex), mobula_buffer_free(side), mobula_buffer_free(raw);
  mobula_program_free(program), mobula_program_free(again);
}

static void errors_say_where(void) {
  const char* text = "{\n  vmul.NOTHING R0, R1, R2\n}\n";
  mobula_program* program = (mobula_program*)&text; /* must become NULL */
  mobula_diagnostics* problems = NULL;
  EXPECT(mobula_assemble(text, strlen(text), "midgard:t860", "t.mdg", &program, &problems) == MOBULA_ERROR);
  EXPECT(program == NULL && mobula_diagnostics_count(problems) >= 1);
  mobula_diagnostic first = {.size = sizeof first};
  EXPECT(mobula_diagnostics_at(problems, 0, &first) == MOBULA_OK);
  EXPECT(first.severity == MOBULA_SEVERE && is(first.file, "t.mdg") && first.line == 2 && first.column >= 3);
  EXPECT(contains(first.code, "MD") && contains(mobula_diagnostics_text(problems), "t.mdg:2:"));
  EXPECT(mobula_diagnostics_at(problems, 99, &first) == MOBULA_BAD_ARGUMENT);
  mobula_diagnostics_free(problems);

  EXPECT(mobula_load_file("no/such/file", NULL, &program, &problems) == MOBULA_ERROR);
  EXPECT(contains(mobula_diagnostics_text(problems), "MOB007"));
  mobula_diagnostics_free(problems);
  EXPECT(mobula_load("abcd", 4, NULL, &program, &problems) == MOBULA_ERROR);
  mobula_diagnostics_free(problems);
}

static void checks_find_broken_rules(void) {
  mobula_program* good = loaded("examples/checker.frag.bin");
  EXPECT(mobula_check(good, NULL) == MOBULA_OK);
  const unsigned char bytes[16] = {0xff, 0xff, 0xff, 0xff};
  const mobula_load_options options = {.size = sizeof options, .machine = "midgard:t860"};
  mobula_program* bad = NULL;
  EXPECT(mobula_load(bytes, sizeof bytes, &options, &bad, NULL) == MOBULA_OK);
  mobula_diagnostics* found = NULL;
  EXPECT(mobula_check(bad, &found) == MOBULA_ERROR);
  mobula_diagnostic first = {.size = sizeof first};
  EXPECT(mobula_diagnostics_at(found, 0, &first) == MOBULA_OK);
  EXPECT(first.has_byte_offset == 1 && first.byte_offset == 0);
  mobula_diagnostics_free(found);
  mobula_program_free(good), mobula_program_free(bad);
}

static size_t tokens_of(const mobula_listing* listing, mobula_token_kind kind, const char* text) {
  size_t count = 0;
  const mobula_string all = mobula_listing_text(listing);
  for (size_t i = 0; i < mobula_listing_token_count(listing); ++i) {
    mobula_token token = {.size = sizeof token};
    EXPECT(mobula_listing_token(listing, i, &token) == MOBULA_OK);
    const size_t length = token.end - token.begin;
    if (token.kind == kind && length == strlen(text) && memcmp(all.data + token.begin, text, length) == 0) ++count;
  }
  return count;
}

static void listings_have_words_tokens_and_jumps(void) {
  mobula_program* program = loaded("examples/loop.vert.bin");
  mobula_listing* listing = NULL;
  const mobula_listing_options options = {.size = sizeof options, .bytes = 1};
  EXPECT(mobula_disassemble(program, &options, &listing, NULL) == MOBULA_OK);
  mobula_word first = {.size = sizeof first};
  EXPECT(mobula_listing_word_count(listing) > 2 && mobula_listing_word(listing, 0, &first) == MOBULA_OK);
  EXPECT(first.byte_offset == 0 && first.text_end > first.text_begin);
  EXPECT(mobula_listing_jump_count(listing) > 0);
  int backward = 0;
  for (size_t i = 0; i < mobula_listing_jump_count(listing); ++i) {
    mobula_jump jump = {.size = sizeof jump};
    EXPECT(mobula_listing_jump(listing, i, &jump) == MOBULA_OK);
    backward += jump.has_target && jump.to <= jump.from;
  }
  EXPECT(backward == 1);
  mobula_program_free(program); /* a listing outlives its program */
  EXPECT(mobula_listing_text(listing).size > 100);
  mobula_listing_free(listing);

  program = assembled("{\n  vmul.FMUL.f32 R1.x, R0.x, #0.5 // half\n}\n");
  EXPECT(mobula_disassemble(program, NULL, &listing, NULL) == MOBULA_OK);
  EXPECT(tokens_of(listing, MOBULA_MNEMONIC, "FMUL") == 1 && tokens_of(listing, MOBULA_REGISTER, "R1") == 1);
  EXPECT(tokens_of(listing, MOBULA_SIGN, "{") == 1);
  mobula_listing_free(listing);
  const mobula_listing_options wrong = {.size = sizeof wrong, .syntax = "klingon"};
  EXPECT(mobula_disassemble(program, &wrong, &listing, NULL) == MOBULA_ERROR && listing == NULL);
  mobula_program_free(program);
}

static void effects_are_partial_and_implicit(void) {
  mobula_program* program = assembled("{\n  vmul.FMUL.f16 R1.x, R0.x, R0.y\n}\n");
  mobula_effects* effects = NULL;
  mobula_diagnostics* problems = NULL;
  EXPECT(mobula_effects_of(program, &effects, &problems) == MOBULA_OK);
  int partial_write = 0, read = 0;
  for (size_t i = 0; i < mobula_effects_count(effects); ++i) {
    mobula_effect effect = {.size = sizeof effect};
    EXPECT(mobula_effects_at(effects, i, &effect) == MOBULA_OK);
    if (is(effect.slot, "r1.x"))
      partial_write += effect.writes && effect.bytes == 2 && effect.slot_bytes == 4 && !effect.implicit;
    if (is(effect.slot, "r0.x")) read += !effect.writes;
  }
  EXPECT(partial_write == 1 && read >= 1);
  mobula_effects_free(effects), mobula_diagnostics_free(problems), mobula_program_free(program);
}

static void explains_and_lifts(void) {
  mobula_program* program = loaded("examples/checker.frag.bin");
  mobula_buffer* text = NULL;
  EXPECT(mobula_explain(program, MOBULA_TEXT, &text, NULL) == MOBULA_OK &&
         contains(mobula_buffer_text(text), "bits 0-"));
  mobula_buffer_free(text);
  EXPECT(mobula_explain(program, MOBULA_SVG, &text, NULL) == MOBULA_OK && contains(mobula_buffer_text(text), "<svg"));
  mobula_buffer_free(text);
  EXPECT(mobula_lift(program, &text, NULL) == MOBULA_OK && contains(mobula_buffer_text(text), "fmul.f32"));
  mobula_buffer_free(text);
  mobula_program_free(program);
}

static void runs_take_documents_and_arrays(void) {
  mobula_program* program = loaded("examples/checker.frag.bin");
  const char* json = "{\"varyings\": {\"a\": [0.6, 0.2]}, \"uniforms\": {\"s\": 0}}";
  mobula_inputs *document = NULL, *arrays = NULL;
  EXPECT(mobula_inputs_new(program, json, strlen(json), NULL, &document, NULL) == MOBULA_OK);
  EXPECT(mobula_inputs_new(program, NULL, 0, NULL, &arrays, NULL) == MOBULA_OK);
  const float a[3][2] = {{0.6f, 0.2f}, {0.1f, 0.2f}, {0.6f, 0.2f}};
  const int32_t s = 0; /* becomes a float */
  mobula_diagnostics* problems = NULL;
  EXPECT(mobula_inputs_set(arrays, "b", MOBULA_FLOAT32, a, 3, 2, &problems) == MOBULA_ERROR);
  EXPECT(contains(mobula_diagnostics_text(problems), "IN005"));
  mobula_diagnostics_free(problems);
  EXPECT(mobula_inputs_set(arrays, "a", MOBULA_FLOAT32, a, 2, 3, NULL) == MOBULA_ERROR);
  EXPECT(mobula_inputs_set(arrays, "a", MOBULA_FLOAT32, a, 0, 2, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_inputs_set(arrays, "a", MOBULA_FLOAT32, a, SIZE_MAX, 2, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_inputs_set(arrays, "a", MOBULA_FLOAT32, a, 3, 2, NULL) == MOBULA_OK);
  EXPECT(mobula_inputs_set(arrays, "s", MOBULA_INT32, &s, 1, 1, NULL) == MOBULA_OK);
  mobula_result *one = NULL, *three = NULL;
  EXPECT(mobula_run(program, document, NULL, &one, NULL) == MOBULA_OK);
  EXPECT(mobula_run(program, arrays, NULL, &three, NULL) == MOBULA_OK);
  mobula_array first = {.size = sizeof first}, all = {.size = sizeof all};
  EXPECT(mobula_result_array_named(one, "o", &first) == MOBULA_OK &&
         mobula_result_array_named(three, "o", &all) == MOBULA_OK);
  EXPECT(all.kind == MOBULA_FLOAT32 && all.dimensions == 2 && all.shape[0] == 3 && all.shape[1] == 4);
  const char* rows = all.values;
  EXPECT(memcmp(first.values, rows, 16) == 0 && memcmp(rows, rows + 32, 16) == 0 && memcmp(rows, rows + 16, 16) != 0);
  EXPECT(mobula_result_array_named(three, "p", &all) == MOBULA_ERROR);
  mobula_counts counts = {.size = sizeof counts};
  EXPECT(mobula_result_counts(three, &counts) == MOBULA_OK && counts.started == 3 && counts.ended == 3);
  mobula_buffer* text = NULL;
  EXPECT(mobula_result_json(three, &text, NULL) == MOBULA_OK && contains(mobula_buffer_text(text), "\"ended\":3"));
  mobula_buffer_free(text);
  EXPECT(mobula_result_png(three, &text, NULL) == MOBULA_ERROR && text == NULL);
  mobula_inputs_free(document), mobula_inputs_free(arrays);
  mobula_result_free(one), mobula_result_free(three);
  mobula_program_free(program);
}

static void textures_come_from_memory(void) {
  mobula_program* program = loaded("examples/textured.frag.bin");
  mobula_inputs* inputs = NULL;
  EXPECT(mobula_inputs_new(program, NULL, 0, NULL, &inputs, NULL) == MOBULA_OK);
  const unsigned char texels[4] = {255, 0, 0, 255};
  mobula_diagnostics* problems = NULL;
  EXPECT(mobula_inputs_set_texture(inputs, "no such", 1, 1, "rgba8_unorm", texels, 4, &problems) == MOBULA_ERROR);
  mobula_diagnostics_free(problems);
  mobula_inputs_free(inputs), mobula_program_free(program);
}

static int stop_at_once(void* asked) {
  ++*(int*)asked;
  return 1;
}
static void runs_stop_when_asked(void) {
  mobula_program* program = loaded("examples/checker.frag.bin");
  int asked = 0;
  const mobula_run_options options = {
      .size = sizeof options, .image_width = 256, .image_height = 256, .stop = stop_at_once, .user = &asked};
  mobula_result* result = NULL;
  EXPECT(mobula_run(program, NULL, &options, &result, NULL) == MOBULA_STOPPED && result == NULL && asked > 0);
  const mobula_run_options one_side = {.size = sizeof one_side, .image_width = 256};
  mobula_diagnostics* problems = NULL;
  EXPECT(mobula_run(program, NULL, &one_side, &result, &problems) == MOBULA_BAD_ARGUMENT);
  EXPECT(contains(mobula_diagnostics_text(problems), "image_height; one of them is 0"));
  mobula_diagnostics_free(problems);
  mobula_program_free(program);
}

static void shaders_are_compiled(void) {
  const char* good = "precision highp float;\nvarying vec2 a;\nvoid main() { gl_FragColor = vec4(a, 0.0, 1.0); }\n";
  const char* bad = "precision highp float;\nvoid main() { gl_FragColor = nothing; }\n";
  const mobula_compile_options options = {.size = sizeof options, .machine = "midgard:t860", .file = "t.frag"};
  mobula_program* program = NULL;
  mobula_diagnostics* problems = NULL;
  const mobula_status status = mobula_compile(good, strlen(good), &options, &program, &problems);
  if (status == MOBULA_UNSUPPORTED) return;
  EXPECT(status == MOBULA_OK && mobula_check(program, NULL) == MOBULA_OK);
  mobula_diagnostics_free(problems), mobula_program_free(program);
  EXPECT(mobula_compile(bad, strlen(bad), &options, &program, &problems) == MOBULA_ERROR && program == NULL);
  EXPECT(contains(mobula_diagnostics_text(problems), "t.frag:2:"));
  mobula_diagnostics_free(problems);
  const char* doubtful =
      "#extension GL_NO_such : enable\nprecision highp float;\nuniform float u;\nvoid main() {\n"
      "  float a = u;\n  for (int i = 0; i < 1000000; ++i) a += sin(a);\n  gl_FragColor = vec4(a);\n}\n";
  EXPECT(mobula_compile(doubtful, strlen(doubtful), &options, &program, &problems) == MOBULA_OK);
  EXPECT(mobula_diagnostics_count(problems) == 2);
  EXPECT(contains(mobula_diagnostics_text(problems), "t.frag:1:1: warning: '#extension'"));
  EXPECT(contains(mobula_diagnostics_text(problems), "t.frag: warning: nothing was verified"));
  mobula_diagnostics_free(problems), mobula_program_free(program);
  const char* of_machine =
      "uniform float u[gl_MaxVertexTextureImageUnits];\nvoid main() { gl_Position = vec4(u[0]); }\n";
  const mobula_compile_options vertex = {.size = sizeof vertex, .machine = "midgard:t860", .file = "t.vert"};
  EXPECT(mobula_compile(of_machine, strlen(of_machine), &vertex, &program, NULL) == MOBULA_OK);
  mobula_program_free(program);
  EXPECT(mobula_compile(NULL, 0, &options, &program, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_compile(good, 1, NULL, &program, NULL) == MOBULA_BAD_ARGUMENT);
}

static void timing_has_figures(void) {
  mobula_program* program = loaded("examples/checker.frag.bin");
  mobula_timing* timing = NULL;
  const mobula_timing_options options = {.size = sizeof options, .threads = 16};
  EXPECT(mobula_time(program, &options, &timing, NULL) == MOBULA_OK);
  mobula_estimate estimate = {.size = sizeof estimate};
  mobula_simulation simulation = {.size = sizeof simulation};
  EXPECT(mobula_timing_estimate(timing, &estimate) == MOBULA_OK && estimate.words > 3);
  EXPECT(mobula_timing_simulation(timing, &simulation) == MOBULA_OK && simulation.cycles > 10 &&
         simulation.threads == 16);
  mobula_buffer* text = NULL;
  EXPECT(mobula_timing_json(timing, &text, NULL) == MOBULA_OK && contains(mobula_buffer_text(text), "mobula/time"));
  mobula_buffer_free(text);
  EXPECT(mobula_timing_report(timing, &text, NULL) == MOBULA_OK);
  mobula_buffer_free(text);
  mobula_timing_free(timing);
  const mobula_timing_options wrong = {.size = sizeof wrong, .costs = "{\"no_such\": 1}"};
  EXPECT(mobula_time(program, &wrong, &timing, NULL) == MOBULA_ERROR && timing == NULL);
  mobula_program_free(program);
}

/* NULL for every handle and every place for a result. */
static void nothing_crashes_on_null(void) {
  mobula_program* program = loaded("examples/checker.frag.bin");
  mobula_program* none = program;
  EXPECT(mobula_load(NULL, 4, NULL, &none, NULL) == MOBULA_BAD_ARGUMENT && none == NULL);
  EXPECT(mobula_load("", 0, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  const mobula_load_options no_size = {.machine = "midgard"};
  EXPECT(mobula_load("", 0, &no_size, &none, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_load_file(NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_assemble(NULL, 1, NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_program_about(NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_program_about(program, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_program_label(program, 99, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_encode(NULL, MOBULA_RAW, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_encode(program, MOBULA_RAW, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_disassemble(NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_listing_word(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_listing_token(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_listing_jump(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT && mobula_listing_text(NULL).size == 0);
  EXPECT(mobula_check(NULL, NULL) == MOBULA_BAD_ARGUMENT && mobula_lift(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_explain(NULL, MOBULA_TEXT, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_effects_of(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_effects_at(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_inputs_new(NULL, NULL, 0, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_inputs_set(NULL, NULL, MOBULA_INT32, NULL, 1, 1, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_inputs_set_corners(NULL, NULL, MOBULA_INT32, NULL, 1, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_inputs_set_texture(NULL, NULL, 1, 1, NULL, NULL, 0, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_run(NULL, NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_run(program, NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_result_counts(NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_result_array(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_result_array_named(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_result_json(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_result_png(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_time(NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_timing_estimate(NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_timing_simulation(NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_timing_json(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_timing_report(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_diagnostics_count(NULL) == 0 && mobula_diagnostics_text(NULL).size == 0 &&
         mobula_buffer_text(NULL).data[0] == '\0');
  mobula_program_free(program);
  mobula_program_free(NULL), mobula_listing_free(NULL), mobula_effects_free(NULL), mobula_inputs_free(NULL);
  mobula_result_free(NULL), mobula_timing_free(NULL), mobula_buffer_free(NULL), mobula_diagnostics_free(NULL);
}

static mobula_core* core_named(const char* name) {
  mobula_core* core = NULL;
  EXPECT(mobula_core_new(name, strlen(name), &core, NULL) == MOBULA_OK);
  return core;
}

static mobula_workload* worked_example(void) {
  static char text[1 << 16];
  FILE* file = fopen("examples/scoreboard-worked.sb", "rb");
  const size_t size = file == NULL ? 0 : fread(text, 1, sizeof text, file);
  if (file != NULL) fclose(file);
  mobula_workload* workload = NULL;
  EXPECT(size != 0 && mobula_workload_read(text, size, "worked.sb", &workload, NULL) == MOBULA_OK);
  return workload;
}

static void workloads_run_on_cores(void) {
  mobula_preset preset = {.size = sizeof preset};
  EXPECT(mobula_preset_count() > 3 && mobula_preset_at(0, &preset) == MOBULA_OK && contains(preset.json, "{"));
  mobula_core *core = core_named("textbook6600"), *other = NULL;
  EXPECT(mobula_core_new(preset.json.data, preset.json.size, &other, NULL) == MOBULA_OK && other != NULL);
  mobula_core_free(other);
  mobula_diagnostics* problems = NULL;
  EXPECT(mobula_core_new("nobody", 6, &other, &problems) == MOBULA_ERROR && other == NULL);
  EXPECT(contains(mobula_diagnostics_text(problems), "SB002"));
  mobula_diagnostics_free(problems);

  mobula_workload *workload = worked_example(), *made = NULL, *again = NULL;
  EXPECT(mobula_workload_generate("int", 5000, 1, &made, NULL) == MOBULA_OK && mobula_workload_count(made) == 5000);
  mobula_buffer* text = NULL;
  EXPECT(mobula_workload_text(made, &text, NULL) == MOBULA_OK);
  const mobula_string written = mobula_buffer_text(text);
  EXPECT(mobula_workload_read(written.data, written.size, NULL, &again, NULL) == MOBULA_OK &&
         mobula_workload_count(again) == 5000);
  mobula_buffer_free(text), mobula_workload_free(again);
  EXPECT(mobula_workload_read("0 nonsense\n", 11, NULL, &again, NULL) == MOBULA_ERROR && again == NULL);

  mobula_scoreboard_run* run = NULL;
  EXPECT(mobula_run_scoreboard(core, workload, NULL, &run, NULL) == MOBULA_OK);
  mobula_clocks clocks = {.size = sizeof clocks};
  EXPECT(mobula_scoreboard_clocks(run, &clocks) == MOBULA_OK);
  EXPECT(clocks.clocks > 10 && clocks.executed == mobula_workload_count(workload) && clocks.ipc > 0);
  mobula_operation first = {.size = sizeof first};
  EXPECT(mobula_scoreboard_operation(run, 0, &first) == MOBULA_OK && first.issue >= 1 && first.write > first.issue);
  EXPECT(mobula_scoreboard_operation(run, 99999, &first) == MOBULA_BAD_ARGUMENT);
  uint64_t sum = 0;
  mobula_named_count cause = {.size = sizeof cause}, value = {.size = sizeof value};
  for (size_t i = 0; mobula_scoreboard_cause(run, i, &cause) == MOBULA_OK; ++i) sum += cause.count;
  EXPECT(sum == clocks.clocks);
  EXPECT(mobula_scoreboard_register(run, 0, &value) == MOBULA_OK && value.name.size >= 2);
  EXPECT(mobula_scoreboard_report(run, &text, NULL) == MOBULA_OK && contains(mobula_buffer_text(text), "clocks"));
  mobula_buffer_free(text), mobula_scoreboard_run_free(run);

  int asked = 0;
  const mobula_scoreboard_options impatient = {.size = sizeof impatient, .stop = stop_at_once, .user = &asked};
  EXPECT(mobula_run_scoreboard(core, made, &impatient, &run, NULL) == MOBULA_STOPPED && run == NULL && asked == 1);
  const mobula_scoreboard_options few = {.size = sizeof few, .max_clocks = 5};
  EXPECT(mobula_run_scoreboard(core, workload, &few, &run, &problems) == MOBULA_ERROR);
  EXPECT(contains(mobula_diagnostics_text(problems), "SB302"));
  mobula_diagnostics_free(problems);
  mobula_workload_free(workload), mobula_workload_free(made), mobula_core_free(core);
}

static mobula_firmware* own_firmware(void) {
  mobula_program* program = NULL;
  mobula_diagnostics* problems = NULL;
  mobula_firmware* firmware = NULL;
  EXPECT(mobula_load_file("examples/firmware.afuc", "afuc:a630", &program, &problems) == MOBULA_OK);
  mobula_diagnostics_free(problems);
  const mobula_program* const images[] = {program};
  EXPECT(mobula_firmware_new(images, 1, &firmware, NULL) == MOBULA_OK);
  mobula_program_free(program); /* firmware outlives its programs */
  return firmware;
}

static void firmware_processes_streams(void) {
  mobula_firmware* firmware = own_firmware();
  mobula_diagnostics* problems = NULL;
  const char* stream = "CP_MEM_WRITE 0x1000 0 5\nCP_INDIRECT_BUFFER 0x100000 0 1\n";
  const uint32_t words[] = {0x70108000};
  EXPECT(mobula_firmware_add_stream(firmware, "NOBODY", stream, strlen(stream), NULL, &problems) == MOBULA_ERROR);
  EXPECT(contains(mobula_diagnostics_text(problems), "NOBODY"));
  mobula_diagnostics_free(problems);
  EXPECT(mobula_firmware_add_stream(firmware, NULL, "abc", 3, NULL, NULL) == MOBULA_ERROR);
  EXPECT(mobula_firmware_add_stream(firmware, NULL, stream, strlen(stream), "s.pm4", NULL) == MOBULA_OK);
  EXPECT(mobula_firmware_add_memory(firmware, 0x100000, words, 1) == MOBULA_OK);
  EXPECT(mobula_firmware_add_memory(firmware, 0x100001, words, 1) == MOBULA_BAD_ARGUMENT);
  mobula_firmware_run* run = NULL;
  const mobula_firmware_options options = {.size = sizeof options, .profile = 1};
  EXPECT(mobula_run_firmware(firmware, &options, &run, &problems) == MOBULA_OK && problems == NULL);
  mobula_firmware_core core = {.size = sizeof core};
  EXPECT(mobula_firmware_core_at(run, 0, &core) == MOBULA_OK && is(core.halt, "idle") && core.instructions > 100);
  EXPECT(mobula_firmware_core_at(run, 9, &core) == MOBULA_BAD_ARGUMENT);
  mobula_packet packet = {.size = sizeof packet};
  EXPECT(mobula_firmware_packet_count(run) == 4);
  EXPECT(mobula_firmware_packet(run, 0, &packet) == MOBULA_OK && is(packet.name, "CP_MEM_WRITE") &&
         packet.instructions > 1);
  int written = 0;
  for (size_t i = 0; i < mobula_firmware_event_count(run); ++i) {
    mobula_event event = {.size = sizeof event};
    EXPECT(mobula_firmware_event(run, i, &event) == MOBULA_OK);
    written += is(event.kind, "memory_write") && event.address == 0x1000 && event.value == 5;
  }
  uint32_t value = 0;
  EXPECT(written == 1 && mobula_firmware_memory(run, 0x1000, &value) == MOBULA_OK && value == 5);
  EXPECT(mobula_firmware_register(run, "CP_SCRATCH[2]", &value, NULL) == MOBULA_OK);
  EXPECT(mobula_firmware_register(run, "CP_NOTHING", &value, NULL) == MOBULA_ERROR);
  EXPECT(mobula_firmware_register(run, "\xff", &value, &problems) == MOBULA_ERROR);
  EXPECT(contains(mobula_diagnostics_text(problems), "\\xff is not a GPU register"));
  mobula_diagnostics_free(problems);
  for (int view = MOBULA_FIRMWARE_REPORT; view <= MOBULA_FIRMWARE_COLLAPSED; ++view) {
    mobula_buffer* text = NULL;
    EXPECT(mobula_firmware_text(run, (mobula_firmware_view)view, &text, NULL) == MOBULA_OK);
    EXPECT(contains(mobula_buffer_text(text), "CP_MEM_WRITE"));
    mobula_buffer_free(text);
  }
  mobula_firmware_run_free(run);

  /* A run that goes wrong is there all the same. */
  const mobula_firmware_options few = {.size = sizeof few, .packet_instructions = 3};
  EXPECT(mobula_run_firmware(firmware, &few, &run, &problems) == MOBULA_OK && run != NULL);
  EXPECT(contains(mobula_diagnostics_text(problems), "AF161"));
  mobula_buffer* unknown = NULL;
  EXPECT(mobula_firmware_text(run, MOBULA_FIRMWARE_PROFILE, &unknown, NULL) == MOBULA_BAD_ARGUMENT && unknown == NULL);
  mobula_diagnostics_free(problems), mobula_firmware_run_free(run), mobula_firmware_free(firmware);
  mobula_program* shader = loaded("examples/checker.frag.bin");
  const mobula_program* const images[] = {shader};
  EXPECT(mobula_firmware_new(images, 1, &firmware, &problems) == MOBULA_ERROR && firmware == NULL);
  mobula_diagnostics_free(problems), mobula_program_free(shader);
}

static uint64_t position(const mobula_debugger* debugger) {
  mobula_place place = {.size = sizeof place};
  EXPECT(mobula_debugger_where(debugger, &place) == MOBULA_OK);
  return place.position;
}

/* Forward, to a breakpoint, back, and to the end: the same for all three. */
static void goes_forward_and_back(mobula_debugger* debugger, const char* break_at, const char* watched,
                                  const char* expression) {
  mobula_halt halt = MOBULA_DEADLOCK;
  uint32_t number = 0, watch = 0;
  const uint64_t begin = position(debugger);
  EXPECT(mobula_debugger_step(debugger, 2, &halt, NULL) == MOBULA_OK && halt == MOBULA_STEPPED);
  const uint64_t after = position(debugger);
  EXPECT(after != begin);
  EXPECT(mobula_debugger_step(debugger, 1, &halt, NULL) == MOBULA_OK);
  EXPECT(mobula_debugger_back(debugger, 1, &halt, NULL) == MOBULA_OK && position(debugger) == after);
  EXPECT(mobula_debugger_break(debugger, break_at, &number, NULL) == MOBULA_OK && number != 0);
  EXPECT(mobula_debugger_go(debugger, 0, &halt, NULL) == MOBULA_OK && halt == MOBULA_AT_BREAKPOINT);
  mobula_value value = {.size = sizeof value};
  EXPECT(mobula_debugger_evaluate(debugger, expression, &value, NULL) == MOBULA_OK);
  mobula_diagnostics* problems = NULL;
  EXPECT(mobula_debugger_evaluate(debugger, "1 +", &value, &problems) == MOBULA_ERROR && problems != NULL);
  mobula_diagnostics_free(problems);
  EXPECT(mobula_debugger_break(debugger, "no such place", &number, NULL) == MOBULA_ERROR);
  EXPECT(mobula_debugger_watch(debugger, "no such register", &watch, NULL) == MOBULA_ERROR);
  EXPECT(mobula_debugger_remove(debugger, number) == MOBULA_OK);
  EXPECT(mobula_debugger_remove(debugger, number) == MOBULA_ERROR);
  while (mobula_debugger_go_back(debugger, &halt, NULL) == MOBULA_OK && halt != MOBULA_AT_BEGINNING) continue;
  EXPECT(position(debugger) == begin);
  EXPECT(mobula_debugger_watch(debugger, watched, &watch, NULL) == MOBULA_OK);
  EXPECT(mobula_debugger_go(debugger, 0, &halt, NULL) == MOBULA_OK && halt == MOBULA_AT_WATCH);
  EXPECT(mobula_debugger_remove(debugger, watch) == MOBULA_OK);
  EXPECT(mobula_debugger_go(debugger, 0, &halt, NULL) == MOBULA_OK && halt == MOBULA_ENDED);
  mobula_place place = {.size = sizeof place};
  EXPECT(mobula_debugger_where(debugger, &place) == MOBULA_OK && place.ended == 1 && place.executed > 3);
  EXPECT(mobula_debugger_choose(debugger, 0, NULL) == MOBULA_OK);
  EXPECT(mobula_debugger_choose(debugger, 1 << 20, NULL) == MOBULA_ERROR);
  mobula_debugger_free(debugger);
}

static void debuggers_go_forward_and_back(void) {
  mobula_debugger* debugger = NULL;
  mobula_program* program = loaded("examples/checker.frag.bin");
  mobula_inputs* inputs = NULL;
  mobula_diagnostics* problems = NULL;
  const char* document = "{\"varyings\": {\"a\": [0.6, 0.2]}, \"uniforms\": {\"s\": 0}}";
  EXPECT(mobula_inputs_new(program, document, strlen(document), NULL, &inputs, NULL) == MOBULA_OK);
  EXPECT(mobula_debug_program(program, inputs, &debugger, &problems) == MOBULA_OK);
  fputs(mobula_diagnostics_text(problems).data, stderr);
  mobula_diagnostics_free(problems);
  mobula_program_free(program), mobula_inputs_free(inputs); /* a debugger outlives what it is made of */
  goes_forward_and_back(debugger, "0x40", "r0.x", "r0.x + 1");

  mobula_firmware* firmware = own_firmware();
  EXPECT(mobula_firmware_add_stream(firmware, NULL, "CP_MEM_WRITE 0x1000 0 5\nCP_NOP\n", 31, NULL, NULL) == MOBULA_OK);
  EXPECT(mobula_debug_firmware(firmware, &debugger, NULL) == MOBULA_OK);
  mobula_firmware_free(firmware);
  goes_forward_and_back(debugger, "CP_NOP", "$01", "$02 + *0x1000");

  mobula_core* core = core_named("textbook6600");
  mobula_workload* workload = worked_example();
  EXPECT(mobula_debug_workload(core, workload, &debugger, NULL) == MOBULA_OK);
  mobula_core_free(core), mobula_workload_free(workload);
  goes_forward_and_back(debugger, "write", "I1", "clock + 1");
}

static void nothing_of_these_crashes_on_null(void) {
  mobula_halt halt = MOBULA_ENDED;
  uint32_t number = 0;
  EXPECT(mobula_preset_at(999, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_core_new(NULL, 0, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_workload_read(NULL, 0, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_workload_generate(NULL, 1, 1, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  mobula_workload* none = NULL;
  EXPECT(mobula_workload_generate("int", 0, 1, &none, NULL) == MOBULA_BAD_ARGUMENT && none == NULL);
  EXPECT(mobula_workload_generate("int", 10000001, 1, &none, NULL) == MOBULA_BAD_ARGUMENT && none == NULL);
  EXPECT(mobula_workload_count(NULL) == 0 && mobula_workload_text(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_run_scoreboard(NULL, NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_scoreboard_clocks(NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_scoreboard_operation(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_scoreboard_cause(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_scoreboard_register(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_scoreboard_report(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_firmware_new(NULL, 1, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_firmware_add_stream(NULL, NULL, NULL, 0, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_firmware_add_memory(NULL, 0, NULL, 0) == MOBULA_BAD_ARGUMENT &&
         mobula_run_firmware(NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_firmware_core_at(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT && mobula_firmware_packet_count(NULL) == 0);
  EXPECT(mobula_firmware_packet(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT && mobula_firmware_event_count(NULL) == 0);
  EXPECT(mobula_firmware_event(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_firmware_memory(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_firmware_register(NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_firmware_text(NULL, MOBULA_FIRMWARE_REPORT, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_debug_program(NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_debug_firmware(NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_debug_workload(NULL, NULL, NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_debugger_step(NULL, 1, &halt, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_debugger_back(NULL, 1, &halt, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_debugger_go(NULL, 0, &halt, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_debugger_go_back(NULL, &halt, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_debugger_break(NULL, "x", &number, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_debugger_watch(NULL, "x", &number, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_debugger_remove(NULL, 1) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_debugger_evaluate(NULL, "1", NULL, NULL) == MOBULA_BAD_ARGUMENT &&
         mobula_debugger_choose(NULL, 0, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_debugger_where(NULL, NULL) == MOBULA_BAD_ARGUMENT);
  mobula_core_free(NULL), mobula_workload_free(NULL), mobula_scoreboard_run_free(NULL), mobula_firmware_free(NULL);
  mobula_firmware_run_free(NULL), mobula_debugger_free(NULL);
}

int main(void) {
  library_and_machines();
  structures_of_older_callers();
  programs_come_and_go();
  errors_say_where();
  checks_find_broken_rules();
  listings_have_words_tokens_and_jumps();
  effects_are_partial_and_implicit();
  explains_and_lifts();
  runs_take_documents_and_arrays();
  textures_come_from_memory();
  runs_stop_when_asked();
  shaders_are_compiled();
  timing_has_figures();
  workloads_run_on_cores();
  firmware_processes_streams();
  debuggers_go_forward_and_back();
  nothing_crashes_on_null();
  nothing_of_these_crashes_on_null();
  if (failures == 0) puts("all as it should be");
  return failures == 0 ? 0 : 1;
}
