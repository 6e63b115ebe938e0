/* Prints a program, what its words write, and where it breaks a rule; then runs it over an image. */
#include <stdio.h>

#include "mobula/mobula_c.h"

static int failed(mobula_diagnostics* diagnostics) {
  fputs(mobula_diagnostics_text(diagnostics).data, stderr);
  mobula_diagnostics_free(diagnostics);
  return 1;
}

int main(void) {
  mobula_diagnostics* problems = NULL;
  mobula_program* program = NULL;
  if (mobula_load_file("examples/checker.frag.bin", NULL, &program, &problems) != MOBULA_OK) return failed(problems);
  mobula_listing* listing = NULL;
  if (mobula_disassemble(program, NULL, &listing, &problems) != MOBULA_OK) return failed(problems);
  fputs(mobula_listing_text(listing).data, stdout);
  if (mobula_check(program, &problems) != MOBULA_OK) return failed(problems);

  mobula_inputs* inputs = NULL;
  const float corners[4][2] = {{0, 0}, {4, 0}, {0, 4}, {4, 4}}, s = 0;
  if (mobula_inputs_new(program, NULL, 0, NULL, &inputs, &problems) != MOBULA_OK ||
      mobula_inputs_set_corners(inputs, "a", MOBULA_FLOAT32, corners, 2, &problems) != MOBULA_OK ||
      mobula_inputs_set(inputs, "s", MOBULA_FLOAT32, &s, 1, 1, &problems) != MOBULA_OK)
    return failed(problems);
  mobula_result* result = NULL;
  const mobula_run_options options = {.size = sizeof options, .image_width = 16, .image_height = 8};
  if (mobula_run(program, inputs, &options, &result, &problems) != MOBULA_OK) return failed(problems);
  mobula_array image = {.size = sizeof image};
  if (mobula_result_array_named(result, "image", &image) != MOBULA_OK) return 1;
  const float* red = image.values;
  for (size_t i = 0; i < image.shape[0] * image.shape[1]; ++i)
    printf("%c%s", red[4 * i] > 0.5f ? '#' : '.', (i + 1) % image.shape[1] == 0 ? "\n" : "");
  mobula_result_free(result), mobula_inputs_free(inputs), mobula_listing_free(listing), mobula_program_free(program);
}
