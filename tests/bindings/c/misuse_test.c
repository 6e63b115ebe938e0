/* What a program does wrong, and what must not happen then: what was to be given out is NULL, so that freeing it is
 * harmless; nothing runs away with a number that is too large; and, where the program is linked with LeakSanitizer,
 * nothing is left over, whatever failed. Runs in the project's folder. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "mobula/mobula_c.h"

static mobula_diagnostics* problems;

/* What is there before a call is never looked at: here it is no address at all. */
#define AFTER(type, status, call)                                                              \
  do {                                                                                         \
    type* out = (type*)(uintptr_t)0x5555;                                                      \
    problems = (mobula_diagnostics*)(uintptr_t)0x5555;                                         \
    EXPECT((call) == (status));                                                                \
    EXPECT(out == NULL && (problems != NULL) == ((status) == MOBULA_ERROR));                   \
    if (problems != (mobula_diagnostics*)(uintptr_t)0x5555) mobula_diagnostics_free(problems); \
  } while (0)
#define MISUSED(type, call) AFTER(type, MOBULA_BAD_ARGUMENT, call)
#define REFUSED(type, call) AFTER(type, MOBULA_ERROR, call)

static const char checker[] = "examples/checker.frag.bin";
static const char shader[] = "precision highp float; void main() { gl_FragColor = vec4(1.0); }";

static mobula_program* loaded(const char* file) {
  mobula_program* program = NULL;
  if (mobula_load_file(file, NULL, &program, NULL) != MOBULA_OK) exit(2);
  return program;
}

static void nothing_is_given_out_to_who_misuses(void) {
  mobula_program* program = loaded(checker);
  const mobula_load_options load = {.machine = "midgard"};
  const mobula_listing_options listing = {.bytes = 1};
  const mobula_run_options run = {.threads = 1}, flat = {.size = sizeof flat, .image_width = 4};
  const mobula_timing_options timing = {.threads = 1};
  const mobula_compile_options no_size = {.machine = "midgard"};
  const mobula_compile_options tireless = {.size = sizeof tireless, .machine = "midgard:t860", .runs = UINT32_MAX};
  const mobula_program* const images[] = {program, NULL};
  MISUSED(mobula_program, mobula_load(NULL, 4, NULL, &out, &problems));
  MISUSED(mobula_program, mobula_load("x", 1, &load, &out, &problems));
  MISUSED(mobula_program, mobula_load_file(NULL, NULL, &out, &problems));
  MISUSED(mobula_program, mobula_assemble(NULL, 1, NULL, NULL, &out, &problems));
  MISUSED(mobula_program, mobula_compile(NULL, 0, NULL, &out, &problems));
  MISUSED(mobula_program, mobula_compile(shader, sizeof shader - 1, &no_size, &out, &problems));
  MISUSED(mobula_program, mobula_compile(shader, sizeof shader - 1, &tireless, &out, &problems));
  MISUSED(mobula_buffer, mobula_encode(program, (mobula_format)3, &out, &problems));
  MISUSED(mobula_listing, mobula_disassemble(NULL, NULL, &out, &problems));
  MISUSED(mobula_listing, mobula_disassemble(program, &listing, &out, &problems));
  MISUSED(mobula_buffer, mobula_explain(program, (mobula_picture)2, &out, &problems));
  MISUSED(mobula_buffer, mobula_lift(NULL, &out, &problems));
  MISUSED(mobula_effects, mobula_effects_of(NULL, &out, &problems));
  MISUSED(mobula_inputs, mobula_inputs_new(NULL, NULL, 0, NULL, &out, &problems));
  MISUSED(mobula_result, mobula_run(NULL, NULL, NULL, &out, &problems));
  MISUSED(mobula_result, mobula_run(program, NULL, &run, &out, &problems));
  mobula_result* none = (mobula_result*)(uintptr_t)0x5555; /* here the diagnostics say which argument */
  EXPECT(mobula_run(program, NULL, &flat, &none, &problems) == MOBULA_BAD_ARGUMENT && none == NULL);
  EXPECT(mobula_diagnostics_count(problems) == 1);
  mobula_diagnostics_free(problems);
  MISUSED(mobula_buffer, mobula_result_json(NULL, &out, &problems));
  MISUSED(mobula_buffer, mobula_result_png(NULL, &out, &problems));
  MISUSED(mobula_timing, mobula_time(program, &timing, &out, &problems));
  MISUSED(mobula_buffer, mobula_timing_json(NULL, &out, &problems));
  MISUSED(mobula_buffer, mobula_timing_report(NULL, &out, &problems));
  MISUSED(mobula_core, mobula_core_new(NULL, 0, &out, &problems));
  MISUSED(mobula_workload, mobula_workload_read(NULL, 0, NULL, &out, &problems));
  MISUSED(mobula_workload, mobula_workload_generate("int", 0, 1, &out, &problems));
  MISUSED(mobula_buffer, mobula_workload_text(NULL, &out, &problems));
  MISUSED(mobula_scoreboard_run, mobula_run_scoreboard(NULL, NULL, NULL, &out, &problems));
  MISUSED(mobula_buffer, mobula_scoreboard_report(NULL, &out, &problems));
  MISUSED(mobula_firmware, mobula_firmware_new(images, 2, &out, &problems));
  MISUSED(mobula_firmware_run, mobula_run_firmware(NULL, NULL, &out, &problems));
  MISUSED(mobula_buffer, mobula_firmware_text(NULL, MOBULA_FIRMWARE_REPORT, &out, &problems));
  MISUSED(mobula_debugger, mobula_debug_program(NULL, NULL, &out, &problems));
  MISUSED(mobula_debugger, mobula_debug_firmware(NULL, &out, &problems));
  MISUSED(mobula_debugger, mobula_debug_workload(NULL, NULL, &out, &problems));
  mobula_program_free(program);
}

static void nothing_is_left_of_what_fails(void) {
  mobula_program* program = loaded(checker);
  const mobula_load_options midgard = {.size = sizeof midgard, .machine = "midgard:t860"};
  const mobula_load_options torn = {.size = sizeof torn, .machine = "midgard:t860", .side = "{", .side_size = 1};
  const mobula_listing_options foreign = {.size = sizeof foreign, .syntax = "klingon"};
  const mobula_run_options many = {.size = sizeof many, .threads = UINT32_MAX};
  const mobula_run_options vast = {.size = sizeof vast, .image_width = UINT32_MAX, .image_height = UINT32_MAX};
  const mobula_timing_options crowded = {.size = sizeof crowded, .threads = UINT32_MAX};
  const mobula_timing_options costs = {.size = sizeof costs, .costs = "{\"no_such\": 1}"};
  const char* wrong = "{\n  vmul.NOTHING R0, R1, R2\n}\n";
  REFUSED(mobula_program, mobula_load("", 0, &midgard, &out, &problems));
  REFUSED(mobula_program, mobula_load("0123456789abcdef", 16, &torn, &out, &problems));
  REFUSED(mobula_program, mobula_load_file("/", NULL, &out, &problems));
  REFUSED(mobula_program, mobula_assemble(wrong, strlen(wrong), "midgard:t860", NULL, &out, &problems));
  REFUSED(mobula_listing, mobula_disassemble(program, &foreign, &out, &problems));
  REFUSED(mobula_inputs, mobula_inputs_new(program, "{\"image\": 1}", 12, NULL, &out, &problems));
  REFUSED(mobula_result, mobula_run(program, NULL, &many, &out, &problems));
  REFUSED(mobula_result, mobula_run(program, NULL, &vast, &out, &problems));
  REFUSED(mobula_timing, mobula_time(program, &crowded, &out, &problems));
  REFUSED(mobula_timing, mobula_time(program, &costs, &out, &problems));
  REFUSED(mobula_core, mobula_core_new("nobody", 6, &out, &problems));
  REFUSED(mobula_workload, mobula_workload_read("I1 <-", 5, NULL, &out, &problems));
  REFUSED(mobula_firmware, mobula_firmware_new((const mobula_program* const*)&program, 1, &out, &problems));

  /* As many OS threads as a number can say are not started; what goes wrong in a run comes with its result. */
  const mobula_run_options eager = {
      .size = sizeof eager, .image_width = 8, .image_height = 8, .os_threads = UINT32_MAX};
  mobula_result* result = NULL;
  EXPECT(mobula_run(program, NULL, &eager, &result, &problems) == MOBULA_OK && result != NULL);
  EXPECT(mobula_diagnostics_count(problems) != 0);
  mobula_result_free(result), mobula_diagnostics_free(problems);

  mobula_inputs* inputs = NULL;
  const float value[4] = {0};
  EXPECT(mobula_inputs_new(program, NULL, 0, NULL, &inputs, NULL) == MOBULA_OK);
  EXPECT(mobula_inputs_set(inputs, "a", MOBULA_FLOAT32, value, SIZE_MAX, 2, NULL) == MOBULA_BAD_ARGUMENT);
  EXPECT(mobula_inputs_set(inputs, "nobody", MOBULA_FLOAT32, value, 1, 2, &problems) == MOBULA_ERROR);
  mobula_diagnostics_free(problems), mobula_inputs_free(inputs), mobula_program_free(program);
}

/* Handles of its own in each thread; shaders, whose compiler is one for all. */
static void* works(void* ok) {
  const mobula_compile_options options = {.size = sizeof options, .machine = "midgard:t860", .runs = 1};
  *(int*)ok = 1;
  for (int turn = 0; turn < 8; ++turn) {
    mobula_program *program = loaded(checker), *compiled = NULL;
    mobula_listing* listing = NULL;
    mobula_timing* timing = NULL;
    const mobula_status status = mobula_compile(shader, sizeof shader - 1, &options, &compiled, NULL);
    if ((status != MOBULA_OK && status != MOBULA_UNSUPPORTED) ||
        mobula_disassemble(program, NULL, &listing, NULL) != MOBULA_OK || mobula_listing_word_count(listing) != 9 ||
        mobula_time(program, NULL, &timing, NULL) != MOBULA_OK)
      *(int*)ok = 0;
    mobula_listing_free(listing), mobula_timing_free(timing), mobula_program_free(program);
    mobula_program_free(compiled);
  }
  return NULL;
}

static void threads_do_not_meet(void) {
  pthread_t threads[4];
  int ok[4];
  for (int i = 0; i < 4; ++i)
    if (pthread_create(&threads[i], NULL, works, &ok[i]) != 0) exit(2);
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    EXPECT(ok[i]);
  }
}

int main(void) {
  nothing_is_given_out_to_who_misuses();
  nothing_is_left_of_what_fails();
  threads_do_not_meet();
  if (failures == 0) puts("all as it should be");
  return failures == 0 ? 0 : 1;
}
