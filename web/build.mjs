// build.mjs MODULES OUT.html LICENCES.txt [--with-compiler]: the page as one file, which needs no server and asks for nothing. It starts with
// MODULES/mobula-decoders.wasm; MODULES/mobula.wasm has everything, with --with-compiler also what compiles shaders.
import {createHash} from "node:crypto";
import {readFileSync, readdirSync, existsSync, writeFileSync} from "node:fs";
import {gzipSync} from "node:zlib";
import {build} from "esbuild";

const [modules, out, licences, compiler] = process.argv.slice(2);
const here = (name) => new URL(name, import.meta.url);
const example = (title, file, inputs, {machine = "", shader, files = []} = {}) => {
  const place = here("../examples/" + file), side = here("../examples/" + file.replace(/\.bin$/, ".json"));
  return {title, file, bytes: readFileSync(place).toString("base64"),
          side: file.endsWith(".bin") && existsSync(side) ? readFileSync(side, "utf8") : "",
          inputs: !inputs ? "" : inputs.startsWith("{") ? inputs : readFileSync(here("../examples/" + inputs), "utf8"), machine,
          shader: shader ? readFileSync(here("../examples/" + shader), "utf8") : "", files: Object.fromEntries(files.map((name) => [name, readFileSync(here("../examples/" + name)).toString("base64")]))};
};
const examples = [
  example("Midgard: waves", "waves.frag.bin", "waves.inputs.json"),
  example("Midgard: checker", "checker.frag.bin", "checker.inputs.json"),
  example("Midgard: bricks", "textured.frag.bin", "textured.inputs.json", {files: ["bricks.png"]}),
  example("Rogue: disc", "rogue-disc.rgasm", "rogue-disc.inputs.json"),
  example("Rogue: Collatz", "rogue-collatz.rgasm", "rogue-collatz.inputs.json"),
  ...(compiler ? [example("GLSL: ripple", "ripple.frag", "ripple.inputs.json", {machine: "midgard:t860"}),
                  example("GLSL: gradient", "gradient.frag", "gradient.inputs.json", {machine: "rogue:usc"}),
                  example("GLSL: torus", "torus.vert", "torus.inputs.json", {machine: "utgard-gp:mali450", files: ["torus.obj"]})] : []),
  example("Midgard: light", "light.vert.bin"),
  example("Utgard GP: torus", "torus.vert.gpasm", JSON.stringify({attributes: {0: [0.7, 0.2, 0.1], 1: [0, 0.8, 0.6]}})),
  example("afuc: firmware", "firmware.afuc", "stream.pm4"),
  example("Scoreboard: textbook", "scoreboard-textbook.sb", undefined, {machine: "scoreboard:textbook6600"}),
  example("Scoreboard: worked trace", "scoreboard-worked.sb", undefined, {machine: "scoreboard:june2019"}),
];
const lessons = readdirSync(here("lessons")).sort().map((name) => JSON.parse(readFileSync(here("lessons/" + name), "utf8")))
    .map((each) => ({...each, text: each.textFrom ? readFileSync(here("../examples/" + each.textFrom), "utf8") : each.text.join("\n") + "\n",
                   inputs: [each.inputs].flat().join("\n"), solution: undefined}));
const bundle = async (file, define) => {
  const made = await build({entryPoints: [here(file).pathname], bundle: true, minify: true, format: "iife", target: "es2022", write: false, metafile: true, define});
  // The editor's parts know each other by their classes, which are others in another copy.
  const packages = new Set(Object.keys(made.metafile.inputs).map((each) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(each)).filter(Boolean).map(([folder, name]) => name + " of " + folder));
  const names = [...packages].map((each) => each.split(" ")[0]), twice = names.find((each, at) => names.indexOf(each) !== at);
  if (twice) throw new Error(`${twice} is in the page in two versions`);
  return made.outputFiles[0].text;
};
const style = readFileSync(here("style.css"), "utf8");
// Of styles alone, for those that the editor makes.
const nonce = createHash("sha256").update(style).digest("hex").slice(0, 16);
const worker = await bundle("src/worker.ts", {});
const script = (await bundle("src/main.ts", {WORKER_SOURCE: JSON.stringify(worker), EXAMPLES: JSON.stringify(examples), LESSONS: JSON.stringify(lessons), STYLE_NONCE: JSON.stringify(nonce)})).replaceAll("</script", "<\\/script");
const packed = (file) => gzipSync(readFileSync(file), {level: 9});
const decoders = packed(modules + "/mobula-decoders.wasm"), all = packed(modules + "/mobula.wasm"), notices = packed(licences);
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const parts = {SCRIPT_HASH: hash(script), STYLE_NONCE: nonce, STYLE: style, DECODERS: decoders.toString("base64"), WASM: all.toString("base64"), LICENCES: notices.toString("base64"), HAS_COMPILER: String(Boolean(compiler)), SCRIPT: script};
const page = readFileSync(here("index.html"), "utf8").replace(/@(\w+)@/g, (_, name) => parts[name]);
writeFileSync(out, page);
const kilobytes = (bytes) => `${Math.ceil(bytes / 1024)} KiB`;
const small = gzipSync(script).length;
console.log(`compressed: decoders ${kilobytes(decoders.length)}, everything ${kilobytes(all.length)}, script ${kilobytes(small)}, licences ${kilobytes(notices.length)}; page ${kilobytes(page.length)}`);
if (decoders.length > 1 << 20) throw new Error("the decoders are larger than 1 MiB");
if (decoders.length + all.length + small + notices.length > 4 << 20) throw new Error("the page is larger than 4 MiB");
