#include <gmock/gmock.h>

#include <filesystem>

#include "cli/mbs.h"
#include "cli/shell.h"
#include "mobula/lab/run.h"

namespace mobula::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> run_checker{"run", example("checker.frag.bin"), "--inputs",
                                           example("checker.inputs.json")};
const std::vector<std::string> waves{"run", example("waves.frag.bin"), "--inputs", example("waves.inputs.json")};

nlohmann::json result_of(const std::vector<std::string>& arguments) {
  const auto results = parse_json(run(with(arguments, {"--json"})).out);
  return results.size() == 1 ? results[0]["result"] : nlohmann::json();
}

TEST(Run, PrintsOutputs) {
  const Outcome outcome = run(run_checker);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "thread 0\n  colour = 0.9 0.8 0.7 1.0\n1 thread: 1 ended, 0 discarded, 0 faulted\n");
}

TEST(Run, JsonHasTheBits) {
  const nlohmann::json result = result_of(run_checker);
  EXPECT_EQ(result["outputs"][0]["colours"][0]["bits"],
            (nlohmann::json{"3f666666", "3f4ccccd", "3f333333", "3f800000"}));
  EXPECT_EQ(result["executions"][0], (nlohmann::json{{"address", "0x0"}, {"lanes", 1}}));
}

/// The code of the host is kept for the second picture.
TEST(Run, EnginesMakeTheSamePicture) {
  const Folder folder;
  const auto picture_by = [&](const std::string& engine) {
    const std::vector<std::string> options{"--image", "16x7", "--raw", "--stats", "--engine", engine, "-o"};
    return run(with(with(run_checker, options), {folder.file(engine)}), "", {"XDG_CACHE_HOME=" + folder.file("cache")});
  };
  EXPECT_THAT(picture_by("vector").out, HasSubstr("engine: vector\n"));
  EXPECT_THAT(picture_by("reference").out, HasSubstr("engine: reference\n"));
  EXPECT_EQ(read(folder.file("vector")), read(folder.file("reference")));
  for (int time = 0; time < 2; ++time) {
    const Outcome native = picture_by("native");
    if (!has_native()) {
      EXPECT_EQ(native.status, 2);
      EXPECT_THAT(native.err, HasSubstr("--engine native needs the library mobula-jit, which is not installed"));
      continue;
    }
    EXPECT_THAT(native.out, HasSubstr("engine: native\n"));
    EXPECT_EQ(read(folder.file("native")), read(folder.file("vector")));
    EXPECT_FALSE(std::filesystem::is_empty(folder.file("cache") + "/mobula"));
  }
}

TEST(Run, SmallPicturesUseCodeThatIsKept) {
  if (!has_native()) GTEST_SKIP() << "mobula-jit is not built";
  const Folder folder;
  const auto picture = [&](const std::string& size, const std::vector<std::string>& options) {
    const std::vector<std::string> all{"--image", size, "--raw", "--stats", "-o", folder.file("picture")};
    return run(with(with(run_checker, all), options), "", {"XDG_CACHE_HOME=" + folder.file("cache")}).out;
  };
  EXPECT_THAT(picture("128x128", {}), HasSubstr("no host code: no earlier run has kept code"));
  EXPECT_THAT(picture("8x8", {"--engine", "native"}), HasSubstr("engine: native\n"));
  EXPECT_THAT(picture("128x128", {}), AllOf(HasSubstr("engine: native\n"), HasSubstr("pays off from 16384 pixels\n")));
  EXPECT_THAT(picture("128x127", {}), HasSubstr("no host code: fewer than 16384 pixels"));
}

TEST(Run, CodeIsNotKeptWhereNobodyWantsIt) {
  if (!has_native()) GTEST_SKIP() << "mobula-jit is not built";
  const Folder folder;
  const auto picture = [&](const std::vector<std::string>& options) {
    const std::vector<std::string> all{"--image", "16x7", "--raw", "--engine", "native", "-o", folder.file("picture")};
    return run(with(with(run_checker, all), options), "", {"XDG_CACHE_HOME=" + folder.file("cache")}).status;
  };
  EXPECT_EQ(picture({"--no-cache"}), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.file("cache")));
  EXPECT_EQ(picture({}), 0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("cache")));
}

TEST(Run, ImageIsAPng) {
  const Folder folder;
  const std::string picture = folder.file("out.png");
  const Outcome outcome = run(with(run_checker, {"--image", "16x8", "-o", picture}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("image 16x8, 128 pixels covered\n128 threads"));
  const std::string png = read(picture);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\x10\0\0\0\x08", 8)) << "width and height";
  EXPECT_EQ(run(with(run_checker, {"--image", "16x8"})).out, png) << "without -o the picture goes to standard output";
  for (const char* wrong : {"16", "x8", "16x", "0x8", "16x8x", "axb"})
    EXPECT_EQ(run(with(run_checker, {"--image", wrong, "-o", picture})).status, 2) << wrong;
  EXPECT_EQ(result_of(with(run_checker, {"--image", "16x8", "-o", picture}))["image"]["covered"], 128);
}

TEST(Run, APictureOfARunThatFailedTakesNoFilesPlace) {
  const Folder folder;
  const std::string picture = folder.file("out.png", "mine");
  const Outcome faulted = run({"run", example("checker.frag.bin"), "--image", "4x4", "-o", picture});
  EXPECT_EQ(faulted.status, 1);
  EXPECT_THAT(faulted.out, HasSubstr("16 faulted"));
  EXPECT_THAT(faulted.err, AllOf(HasSubstr("the inputs give no varying 0 (a)"), HasSubstr("[RN022]")));
  EXPECT_EQ(read(picture), "mine");
  EXPECT_EQ(run({"run", example("checker.frag.bin"), "--image", "4x4"}).out, "");
  const Outcome strict = run(with(waves, {"--image", "4x4", "-o", picture, "--strict"}));
  EXPECT_EQ(strict.status, 4);
  EXPECT_EQ(read(picture), "mine");
}

TEST(Run, StandardOutputTakesThePictureAlone) {
  for (const char* const more : {"--stats", "--fidelity", "--json"}) {
    const Outcome outcome = run(with(run_checker, {"--image", "4x4", more}));
    EXPECT_EQ(outcome.status, 2) << more;
    EXPECT_THAT(outcome.err, HasSubstr("standard output takes the picture")) << more;
  }
}

TEST(Run, PicturesAreWhatTheirNamesSay) {
  const Folder folder;
  const auto written = [&](const std::string& name, const std::vector<std::string>& more = {}) {
    const std::string file = folder.file(name);
    const Outcome outcome = run(with(with(run_checker, {"--image", "4x4", "-o", file}), more));
    return outcome.status == 0 ? read(file).substr(0, 4) : outcome.err;
  };
  EXPECT_EQ(written("a.png"), "\x89PNG");
  EXPECT_EQ(written("a.PNG"), "\x89PNG");
  EXPECT_EQ(written("a"), "\x89PNG");
  EXPECT_EQ(written("a.PPM"), "P6\n4");
  EXPECT_EQ(written("a.pfm"), "PF\n4");
  EXPECT_EQ(written("a.raw"), written("b.data", {"--raw"}));
  for (const char* name : {"a.jpg", "a.gif", "a.png.txt"})
    EXPECT_THAT(written(name),
                HasSubstr("pictures are not written as ." + std::string(name).substr(std::string(name).rfind('.') + 1) +
                          "\n  hint: names that end in .png, .ppm, .pfm and .raw say what is written"));
  EXPECT_THAT(written("c.png", {"--raw"}), HasSubstr("--raw writes numbers alone, and "));
  EXPECT_EQ(std::filesystem::exists(folder.file("a.jpg")), false);
}

const std::vector<std::string> torus{"run", example("torus.vert.bin"), "--inputs", example("torus.inputs.json")};

TEST(Run, VerticesOfAMeshAreTransformedAndLit) {
  const nlohmann::json result = result_of(torus);
  EXPECT_EQ(result["outputs"].size(), 288u);
  // (1.4, 0, 0), so clip space (1.4 * 1.99039, 1.4 * 0.7111, ...) and w = 4; its normal (1, 0, 0) gives light.x.
  const nlohmann::json& varyings = result["outputs"][0]["varyings"];
  EXPECT_EQ(varyings[0]["name"], "gl_Position");
  EXPECT_NEAR(varyings[0]["value"][0].get<double>(), 128 + 128 * 1.4 * 1.99039 / 4, 1e-3);
  EXPECT_NEAR(varyings[0]["value"][1].get<double>(), 96 + 96 * 1.4 * 0.7111 / 4, 1e-3);
  EXPECT_NEAR(varyings[1]["value"][0].get<double>(), 0.3995 + 0.15, 1e-4);
  EXPECT_EQ(varyings[1]["value"][3], 1.0);
}

TEST(Run, VerticesMakeAPictureOfTheirTriangles) {
  const Folder folder;
  const std::string picture = folder.file("torus.png");
  const Outcome outcome = run(with(torus, {"--image", "40x30", "-o", picture}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("image 40x30, "));
  EXPECT_THAT(outcome.out, HasSubstr("\n288 threads"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("varying")));
  EXPECT_EQ(read(picture).substr(16, 8), std::string("\0\0\0\x28\0\0\0\x1e", 8));
  EXPECT_GT(result_of(with(torus, {"--image", "40x30", "-o", picture}))["image"]["covered"].get<int>(), 100);
}

TEST(Run, AMeshAloneIsInputsAndSaysWhatIsMissingOnce) {
  const Outcome outcome = run({"run", example("torus.vert.bin"), "--inputs", example("torus.obj")});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("288 threads: 288 ended"));
  EXPECT_EQ(outcome.err.find("no uniform uMvp"), outcome.err.rfind("no uniform uMvp"));
  EXPECT_THAT(outcome.err, HasSubstr("no uniform uMvp"));
}

/// An MBS1 file: chunks of four letters, their size and their content.
/// A symbol of `entries` vectors of `components` floats, at an offset in floats.
std::string symbol(const std::string& ident, const std::string& name, char type, char components, char entries,
                   char offset, const std::string& more = {}) {
  const std::string padded = name + std::string(4 - name.size() % 4, '\0');
  const std::string record{'\0', type, components, 0, 4, 0, entries, 0, 0,      0,
                           4,    0,    0,          0, 0, 0, offset,  0, '\xff', '\xff'};
  return chunk(ident, chunk("STRI", padded) + record + more);
}

TEST(Run, ContainersNameTheirAttributesUniformsAndVaryings) {
  const std::string code = read(example("torus.vert.bin"));
  const std::string constants = chunk("VINI", word(4) + word(0xD01502F9) + word(0x501502F9) + word(0) + word(0));
  const std::string shader =
      word(6) + chunk("FINS", word(0) + word(24) + word(15)) +
      chunk("SUNI", word(5) + symbol("VUNI", "uMvp", 4, 4, 1, 0) + symbol("VUNI", "uLight", 1, 4, 1, 16) +
                        symbol("VUNI", "uColour", 1, 4, 1, 20) +
                        symbol("VUNI", "gl_mali_ViewportTransform", 1, 4, 2, 24) +
                        symbol("VUNI", "__maligp2_constant_000", 1, 4, 1, 32, constants)) +
      chunk("SATT", word(2) + symbol("VATT", "aPosition", 1, 3, 1, 0) + symbol("VATT", "aNormal", 1, 3, 1, 4)) +
      chunk("SVAR", word(2) + symbol("VVAR", "gl_Position", 1, 4, 1, 0) + symbol("VVAR", "vColour", 1, 4, 1, 4)) +
      chunk("DBIN", code);
  const Folder folder;
  const std::string file = folder.file("torus.mbs", chunk("MBS1", chunk("CVER", shader)));
  const Outcome outcome = run({"run", file, "--inputs", example("torus.inputs.json")});
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, run(torus).out);
  const Outcome wrong = run({"run", file, "--inputs", folder.file("in.json", R"({"uniforms": {"uMpv": 1}})")});
  EXPECT_THAT(wrong.err, HasSubstr("did you mean uMvp?"));
}

TEST(Run, TheTextOfAnExampleIsItsProgram) {
  const Folder folder;
  const std::string code = folder.file("torus.bin");
  EXPECT_EQ(run({"asm", "-m", "utgard-gp", example("torus.vert.gpasm"), "-o", code}).status, 0);
  EXPECT_EQ(read(code), read(example("torus.vert.bin")));
}

TEST(Run, PicturesDoNotDependOnTheNumberOfCores) {
  EXPECT_EQ(run(with(run_checker, {"--image", "64x64", "--jobs", "1"})).out,
            run(with(run_checker, {"--image", "64x64", "--jobs", "2"})).out);
  EXPECT_EQ(run(with(run_checker, {"--jobs", "many"})).status, 2);
}

TEST(Run, TraceShowsWhatEachWordChanged) {
  const Outcome outcome = run(with(run_checker, {"--trace"}));
  EXPECT_THAT(outcome.out, StartsWith("step 0 thread 0 0x0000 vadd.FADD.f32 R0.x, U0.x.abs, #2\n"
                                      "    r0.x = 0x40000000 (2)\n"
                                      "step 1 thread 0 0x0010 LD_VARY.f32 R0.~xy~, 0.x, 0.x\n"));
  EXPECT_THAT(run(run_checker).out, Not(HasSubstr("step")));
  const nlohmann::json trace = result_of(with(run_checker, {"--trace"}))["trace"];
  EXPECT_EQ(trace[0]["changes"], (nlohmann::json{{"r0.x", "00000040"}}));
}

TEST(Run, ThreadTracesOneThread) {
  const Outcome outcome = run(with(run_checker, {"--threads", "3", "--trace", "--thread", "1"}));
  EXPECT_THAT(outcome.out, HasSubstr(" thread 1 0x"));
  EXPECT_THAT(outcome.out, Not(HasSubstr(" thread 0 0x")));
  EXPECT_THAT(outcome.out, HasSubstr("\n3 threads: 3 ended"));
}

TEST(Run, FidelityNamesTheDoubtfulWords) {
  const Outcome doubtful = run(with(waves, {"--fidelity"}));
  EXPECT_EQ(doubtful.status, 0);
  EXPECT_THAT(doubtful.out, HasSubstr("words rest on facts that are not exact\n"));
  EXPECT_THAT(doubtful.out, HasSubstr("\n  0x00f0 unknown: lut frcp: "));
  EXPECT_THAT(run(with(run_checker, {"--fidelity"})).out,
              HasSubstr("\nfidelity: every executed word rests on exact facts\n"));
  EXPECT_EQ(result_of(with(waves, {"--fidelity"}))["fidelity"].back()["offset"], "0xf0");
}

TEST(Run, ReferenceIsCompared) {
  const std::string reference = example("checker.ref.json");
  const Outcome good = run({"run", example("checker.frag.bin"), "--reference", reference});
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("3 of 3 cases agree"));

  const Folder folder;
  std::string text = read(reference);
  text.replace(text.find("0.899999976", text.find("expected_r0")), 11, "0.891999976");
  const Outcome bad = run({"run", example("checker.frag.bin"), "--reference", folder.file("ref.json", text)});
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.out, HasSubstr("r0[0] should be"));
  EXPECT_EQ(result_of({"run", example("checker.frag.bin"), "--reference", reference})["passed"], 3);
}

TEST(Run, PoliciesAreCheckedAndChangeTheResult) {
  const std::string counter = "{\n  vadd.ADD.i32 R0.x, PC_SP.x, #1\n  break\n}\n";
  const auto trace = [&](const std::string& policy) {
    return run({"run", "-m", "midgard", "--trace", "--policy", policy, "-"}, counter).out;
  };
  EXPECT_THAT(trace("pc_value=next"), HasSubstr("r0.x = 0x00000011"));
  EXPECT_THAT(trace("pc_value=this"), HasSubstr("r0.x = 0x00000001"));
  EXPECT_EQ(run(with(run_checker, {"--policy", "nonsense=1"})).status, 2);
  EXPECT_EQ(run(with(run_checker, {"--policy", "nonsense"})).status, 2);
}

TEST(Run, BrokenInputsAreLocated) {
  const Folder folder;
  const std::string inputs = folder.file("in.json", "{\"varyings\": {\"nobody\": [1]}}");
  const Outcome outcome = run({"run", example("checker.frag.bin"), "--inputs", inputs});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr(inputs));
  EXPECT_THAT(outcome.err, HasSubstr("nobody"));
}

TEST(Run, TexturesAreFoundBesideTheInputs) {
  const Outcome outcome = run({"run", example("textured.frag.bin"), "--inputs", example("textured.inputs.json")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("colour = "));
}

TEST(Run, StorageImagesAreLoadedAndStored) {
  const Outcome outcome =
      run({"run", "-m", "midgard", example("negative.comp.mdg"), "--inputs", example("negative.inputs.json")});
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("memory 0x2000 = 00ffffff 00ffff00 00ff00ff 0000ffff "
                                     "00bf7f7f 7f7f7f7f ffffffff 00000000\n"));
}

TEST(Run, TheTileBufferIsRead) {
  const Outcome outcome =
      run({"run", "-m", "midgard", example("brighten.frag.mdg"), "--inputs", example("brighten.inputs.json")});
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, StartsWith("thread 0\n  colour = 0.5 1.0 0.0 2.0\nthread 1\n  colour = 0.25 0.0 0.0 1.0\n"));
}

TEST(Run, StrictFailsOnWhatIsNotExact) {
  EXPECT_EQ(run(with(run_checker, {"--strict"})).status, 0);
  EXPECT_EQ(run(with(waves, {"--strict"})).status, 4);
  const Outcome undefined =
      run({"run", "-m", "midgard:t860", "--strict", "-"}, "{\n  vadd.FADD.f32 R0.x, R1.x, #2\n  break\n}\n");
  EXPECT_EQ(undefined.status, 4) << undefined.err;
  EXPECT_THAT(undefined.err, HasSubstr("RN012"));
  EXPECT_EQ(
      run({"run", "-m", "midgard:t860", "--strict", "-"}, "{\n  vadd.FADD.f32 R0.x, #1.0, #2\n  break\n}\n").status, 0);
}

TEST(Run, StepLimitStopsEndlessPrograms) {
  const std::string endless = "L0:\n{\n  vadd.FADD.f32 R0.x, R0.x, #1.0\n  brx.uncond.always L0\n}\n";
  const Outcome outcome = run({"run", "-m", "midgard", "--step-limit", "100", "-"}, endless);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("100"));
  EXPECT_EQ(run(with(run_checker, {"--step-limit", "3"})).status, 1);
  EXPECT_EQ(run(with(run_checker, {"--step-limit", "9"})).status, 0);
}

}  // namespace
}  // namespace mobula::test
