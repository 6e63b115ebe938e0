// build.mjs MODULE.wasm OUT.html [COMPILER.wasm]: the page as one file, which needs no server and asks for nothing. Without the module that
// compiles shaders it takes none.
import {createHash} from "node:crypto";
import {readFileSync, readdirSync, existsSync, writeFileSync} from "node:fs";
import {gzipSync} from "node:zlib";
import {build} from "esbuild";

const [module, out, compiler] = process.argv.slice(2);
const here = (name) => new URL(name, import.meta.url);
const example = (title, file, inputs, {machine = "", shader} = {}) => {
  const place = here("../examples/" + file), side = here("../examples/" + file.replace(/\.bin$/, ".json"));
  return {title, file, bytes: readFileSync(place).toString("base64"),
          side: file.endsWith(".bin") && existsSync(side) ? readFileSync(side, "utf8") : "",
          inputs: !inputs ? "" : inputs.startsWith("{") ? inputs : readFileSync(here("../examples/" + inputs), "utf8"), machine,
          shader: shader ? readFileSync(here("../examples/" + shader), "utf8") : ""};
};
// A page has no mesh: one vertex of it.
const vertex = {position: [0.7, 0.2, 0.1], normal: [0, 0.8, 0.6]};
const examples = [
  example("Midgard: waves", "waves.frag.bin", "waves.inputs.json"),
  example("Midgard: checker", "checker.frag.bin", "checker.inputs.json"),
  example("Rogue: disc", "rogue-disc.rgasm", "rogue-disc.inputs.json"),
  example("Rogue: Collatz", "rogue-collatz.rgasm", "rogue-collatz.inputs.json"),
  ...(compiler ? [example("GLSL: ripple", "ripple.frag", "ripple.inputs.json", {machine: "midgard:t860"}),
                  example("GLSL: gradient", "gradient.frag", "gradient.inputs.json", {machine: "rogue:usc"}),
                  example("GLSL: torus", "torus.vert", JSON.stringify({attributes: {aPosition: vertex.position, aNormal: vertex.normal},
                    uniforms: JSON.parse(readFileSync(here("../examples/torus.inputs.json"), "utf8")).uniforms}, null, 1), {machine: "utgard-gp:mali450"})] : []),
  example("Midgard: light", "light.vert.bin"),
  example("Utgard GP: torus", "torus.vert.gpasm", JSON.stringify({attributes: {0: vertex.position, 1: vertex.normal}})),
  example("afuc: firmware", "firmware.afuc", "stream.pm4"),
  example("Scoreboard: textbook", "scoreboard-textbook.sb", undefined, {machine: "scoreboard:textbook6600"}),
  example("Scoreboard: worked trace", "scoreboard-worked.sb", undefined, {machine: "scoreboard:june2019"}),
];
const lessons = readdirSync(here("lessons")).sort().map((name) => JSON.parse(readFileSync(here("lessons/" + name), "utf8")))
    .map((each) => ({...each, text: each.textFrom ? readFileSync(here("../examples/" + each.textFrom), "utf8") : each.text.join("\n") + "\n",
                   inputs: [each.inputs].flat().join("\n"), solution: undefined}));
const bundle = async (file, define) =>
    (await build({entryPoints: [here(file).pathname], bundle: true, minify: true, format: "iife", target: "es2022", write: false, define})).outputFiles[0].text;
const style = readFileSync(here("style.css"), "utf8");
// Of styles alone, for those that the editor makes.
const nonce = createHash("sha256").update(style).digest("hex").slice(0, 16);
const worker = await bundle("src/worker.ts", {});
const script = (await bundle("src/main.ts", {WORKER_SOURCE: JSON.stringify(worker), EXAMPLES: JSON.stringify(examples), LESSONS: JSON.stringify(lessons), STYLE_NONCE: JSON.stringify(nonce)})).replaceAll("</script", "<\\/script");
const wasm = readFileSync(module), packed = gzipSync(wasm, {level: 9});
const packedCompiler = compiler ? gzipSync(readFileSync(compiler), {level: 9}) : Buffer.alloc(0);
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const parts = {SCRIPT_HASH: hash(script), STYLE_NONCE: nonce, STYLE: style, WASM: packed.toString("base64"), WASM_COMPILER: packedCompiler.toString("base64"), SCRIPT: script};
const page = readFileSync(here("index.html"), "utf8").replace(/@(\w+)@/g, (_, name) => parts[name]);
writeFileSync(out, page);
const kilobytes = (bytes) => `${Math.ceil(bytes / 1024)} KiB`;
console.log(`module ${kilobytes(wasm.length)}, compressed ${kilobytes(packed.length)}; compiler compressed ${kilobytes(packedCompiler.length)}; script compressed ${kilobytes(gzipSync(script).length)}; page ${kilobytes(page.length)}`);
const most = 4 << 20;
if (packed.length + packedCompiler.length + gzipSync(script).length > most) throw new Error("the page is larger than 4 MiB");
