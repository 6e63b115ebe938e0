// build.mjs MODULES OUT.html LICENCES.txt [--with-compiler]: the page as one file, which needs no server and asks for nothing. It starts with
// MODULES/mobula-decoders.wasm; MODULES/mobula.wasm has everything, with --with-compiler also what compiles shaders.
import {createHash} from "node:crypto";
import {readFileSync, readdirSync, existsSync, writeFileSync} from "node:fs";
import {gzipSync} from "node:zlib";
import {build} from "esbuild";

const [modules, out, licences, compiler] = process.argv.slice(2);
const here = (name) => new URL(name, import.meta.url);
const ofPage = async (file) => {
  const made = await build({entryPoints: [here(file).pathname], bundle: true, format: "esm", write: false});
  return import("data:text/javascript," + encodeURIComponent(made.outputFiles[0].text));
};
const {Module} = await ofPage("src/core/module.ts"), {assembled, explained, machines, stateOf} = await ofPage("src/core/questions.ts");
const library = await Module.start(await WebAssembly.compile(readFileSync(modules + "/mobula-decoders.wasm")));
const exampleFile = (name, encoding = "utf8") => readFileSync(here("../examples/" + name), encoding);
/** A state of the page: what is no text is opened here, so that the page has one question less before its first words. */
const example = (title, file, inputs, {machine, files = []} = {}) => {
  const beside = file.replace(/\.(bin|gpasm)$/, ".json"), side = beside !== file && existsSync(here("../examples/" + beside)) ? exampleFile(beside) : "";
  const opened = machine ? {ok: true, machine, text: exampleFile(file), side} : library.ask({ask: "open", file, side}, exampleFile(file, null)).json;
  if (!opened.ok) throw new Error(`${file}: ${opened.text}`);
  return {title, file, machine: opened.machine, text: opened.text, side: opened.side, inputs: inputs ? exampleFile(inputs) : "", files};
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
  example("Midgard: light", "light.vert.bin", "light.inputs.json", {files: ["torus.obj"]}),
  example("Utgard GP: torus", "torus.vert.gpasm", "torus.inputs.json", {files: ["torus.obj"]}),
  example("afuc: firmware", "firmware.afuc", "stream.pm4"),
  example("Scoreboard: textbook", "scoreboard-textbook.sb", undefined, {machine: "scoreboard:textbook6600"}),
  example("Scoreboard: worked trace", "scoreboard-worked.sb", undefined, {machine: "scoreboard:june2019"}),
];
const exampleFiles = Object.fromEntries(examples.flatMap(({files}) => files).map((name) => [name, exampleFile(name, "base64")]));
/** What the page asks first, in this order, and what it shows before a module is there. */
const answers = [machines, assembled(stateOf(examples[0], exampleFiles))].map((request) => [request, library.ask(request).json]);
const firstWord = explained(answers[1][1].words[0].offset);
answers.push([firstWord, library.ask(firstWord).json]);
const plain = (json) => JSON.stringify(json).replace(/[<\u0080-\uffff]/g, (letter) => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0"));
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
const workerSource = {WORKER_SOURCE: JSON.stringify(worker)}, inside = (text) => text.replaceAll("</script", "<\\/script");
const first = inside(await bundle("src/first.ts", workerSource));
const script = inside(await bundle("src/main.ts", {...workerSource, EXAMPLES: JSON.stringify(examples), EXAMPLE_FILES: JSON.stringify(exampleFiles), LESSONS: JSON.stringify(lessons), STYLE_NONCE: JSON.stringify(nonce)}));
const packed = (file) => gzipSync(readFileSync(file), {level: 9});
const decoders = packed(modules + "/mobula-decoders.wasm"), all = packed(modules + "/mobula.wasm"), notices = packed(licences);
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const parts = {FIRST: first, FIRST_HASH: hash(first), SCRIPT_HASH: hash(script), STYLE_NONCE: nonce, STYLE: style, ANSWERS: plain(answers), DECODERS: decoders.toString("base64"), WASM: all.toString("base64"), LICENCES: notices.toString("base64"), HAS_COMPILER: String(Boolean(compiler)), SCRIPT: script};
const page = readFileSync(here("index.html"), "utf8").replace(/@(\w+)@/g, (_, name) => parts[name]);
// One letter more, and browsers read all of it as text of 16 bits, which takes three times as long.
const other = /[^\0-\x7F]/.exec(page);
if (other) throw new Error("the page has a letter that is not ASCII: " + page.slice(Math.max(other.index - 40, 0), other.index + 1));
writeFileSync(out, page);
const kilobytes = (bytes) => `${Math.ceil(bytes / 1024)} KiB`;
const small = gzipSync(script).length;
console.log(`compressed: decoders ${kilobytes(decoders.length)}, everything ${kilobytes(all.length)}, script ${kilobytes(small)}, licences ${kilobytes(notices.length)}; page ${kilobytes(page.length)}`);
if (decoders.length > 1 << 20) throw new Error("the decoders are larger than 1 MiB");
if (decoders.length + all.length + small + notices.length > 4 << 20) throw new Error("the page is larger than 4 MiB");
