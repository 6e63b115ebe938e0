// compare.mjs LIBRARY FOLDER_OF_MODULES COMMAND FOLDER...: every program of the folders through the module and through the command, byte for byte:
// listing, micro-operations, timing report, findings of check, outputs of a run, fields of words; and workloads of the scoreboard: report and table.
// Where the module has the compiler of shaders, also those: code and side file for each machine with a compiler, or what is wrong; costs of
// lines.
import {execFileSync} from "node:child_process";
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync} from "node:fs";
import {tmpdir} from "node:os";
import {basename, dirname, resolve} from "node:path";

const [library, modules, command, ...folders] = process.argv.slice(2);
const {Module} = await import(resolve(library));
const compiled = await WebAssembly.compile(readFileSync(modules + "/mobula.wasm"));
const start = () => Module.start(compiled);
let module = await start();

const files = (path) => statSync(path).isDirectory() ? readdirSync(path).sort().flatMap((name) => files(path + "/" + name)) : [path];
const programs = folders.filter(existsSync).flatMap(files).filter((file) => /\.(bin|mdg|gpasm|rgasm|afuc|mbs|hex)$/.test(file));

function native(args) {
  try {
    return execFileSync(command, args, {encoding: "utf8", maxBuffer: 1 << 30, timeout: 120000, stdio: ["ignore", "pipe", "ignore"]});
  } catch (problem) {
    return problem.stdout === "" ? undefined : problem.stdout;  // what has findings has a result, too
  }
}

let compared = 0, refused = 0, different = 0;
function compare(file, form, got, expected) {
  if (expected === undefined && got === undefined) return void ++refused;
  ++compared;
  if (got === expected) return;
  ++different;
  console.log(`${file}: ${form}: ${expected === undefined || got === undefined ? "only one of the two gives it" : "it differs"}`);
}
const result = (text) => text === undefined ? undefined : JSON.parse(text.split("\n")[0]);
const findings = (list) => JSON.stringify(list?.map((each) => [each.severity, each.code, each.message, each.hint]));

/** The command's findings and the module's: severity, code, message and hint of each, in order. */
function compareCheck(file) {
  const expected = result(native(["check", file, "--json"]));
  const reply = module.ask({ask: "text", form: "check"}).json;
  compare(file, "check", reply.ok ? findings(reply.diagnostics) : undefined, findings(expected?.result?.diagnostics));
}
/** Outputs of a run of few words, with the inputs that stand beside an example; with those, its time, too. */
function compareRun(file, about) {
  const beside = file.replace(/(\.\w+)?\.\w+$/, ".inputs.json");
  const inputs = existsSync(beside) ? readFileSync(beside, "utf8") : "";
  const named = [...inputs.matchAll(/"([^"]+\.(?:png|obj))"/g)].map(([, name]) => [name, readFileSync(dirname(file) + "/" + name)]);
  module.ask({ask: "files", files: named.map(([name, bytes]) => ({name, size: bytes.length}))}, new Uint8Array(Buffer.concat(named.map(([, bytes]) => bytes))));
  const threads = 7;
  if (inputs !== "" && about.stage !== "compute") {
    const {executed, report} = module.ask({ask: "time", inputs, threads}).json;
    compare(file, "time --inputs", executed ? report : undefined, native(["time", file, "--inputs", beside, "--threads", String(threads)])?.replaceAll(file, basename(file)));
  }
  const limited = inputs === "" ? '{"limits": {"steps": 5000}}' : inputs;
  const expected = result(native(["run", file, "--json", "--jobs", "1", ...(inputs === "" ? ["--step-limit", "5000"] : ["--inputs", beside])]))?.result;
  const reply = module.ask({ask: "text", form: "run", inputs: limited}).json;
  if (expected?.outputs === undefined && !reply.ok) return void ++refused;
  const parts = ["threads", "outputs", "buffers", "memory", "executions"];
  const of = (json) => json && JSON.stringify(parts.map((part) => json[part]));
  compare(file, "run", reply.ok ? of(JSON.parse(reply.text)) : undefined, of(expected));
}
/** Fields of the first words, which the command gets as digits. */
function compareExplain(file, about) {
  const words = about.words.slice(0, 40).map((word) => word.bytes.replace(/(..)(?=.)/g, "$1 ")).filter((word) => word !== "");
  if (words.length === 0) return;
  const machine = about.machine;
  const expected = native(["explain", "-m", machine, ...words]);
  const opened = module.ask({ask: "open", file: "words.hex", side: "", machine}, new TextEncoder().encode(words.join(" ") + "\n")).json;
  const reply = opened.ok ? module.ask({ask: "text", form: "explain"}).json : opened;
  compare(file, "explain", reply.ok ? reply.text : undefined, expected);
}

for (const file of folders.filter(existsSync).flatMap(files).filter((name) => name.endsWith(".sb")))
  for (const preset of ["textbook6600", "june2019", "seed_two_level"]) {
    const opened = module.ask({ask: "workload", preset, file, inputs: ""}, new Uint8Array(readFileSync(file))).json;
    const reply = opened.ok ? module.ask({ask: "core_text"}).json : opened;
    const expected = native(["scoreboard", "run", file, "--preset", preset, "--table"]);
    compare(file, preset, reply.ok ? reply.table + "\n" + reply.text : undefined, expected?.slice(0, reply.ok ? (reply.table + "\n" + reply.text).length : undefined));
  }

for (const file of programs) {
  const bytes = new Uint8Array(readFileSync(file)), json = file.replace(/\.[^.]*$/, ".json");
  const side = file.endsWith(".bin") && existsSync(json) ? readFileSync(json, "utf8") : "";
  try {
    const opened = module.ask({ask: "open", file: basename(file), side}, bytes).json;
    for (const [form, ...options] of [["disasm"], ["ir"], ["time", "--keep-going"]]) {
      const expected = native([form, file, ...options]);
      const reply = opened.ok ? module.ask({ask: "text", form}).json : opened;
      const got = reply.ok ? reply.text : undefined;
      // The command lists no text: it is one.
      if (form === "disasm" && expected === undefined) continue;
      compare(file, form, got, form === "time" ? expected?.replaceAll(file, basename(file)) : expected);
    }
    if (!opened.ok) continue;
    compareCheck(file);
    if (!opened.firmware) compareRun(file, opened);
    compareExplain(file, opened);
  } catch (problem) {
    console.log(`${file}: the module ended: ${problem.message}`);
    ++different;
    module = await start();
  }
}
const made = mkdtempSync(tmpdir() + "/mobula-compare-");
/** A shader for a machine: what the command writes and what the module gives; then the costs of its lines. */
function compareShader(file, machine) {
  const text = readFileSync(file, "utf8"), form = "compile -m " + machine;
  rmSync(made + "/shader.bin", {force: true});
  rmSync(made + "/shader.json", {force: true});
  const said = result(native(["compile", file, "-m", machine, "--no-verify", "--json"]));
  const reply = module.ask({ask: "compile", file, text, machine});
  if (said.result.status !== undefined) return compare(file, form, reply.json.ok ? undefined : placed(reply.json.diagnostics), placed(said.result.diagnostics.map((each) => ({...each, ...each.where}))));
  native(["compile", file, "-m", machine, "--no-verify", "-o", made + "/shader.bin"]);
  compare(file, form, reply.json.ok ? Buffer.from(reply.bytes).toString("hex") : undefined, readFileSync(made + "/shader.bin").toString("hex"));
  if (!reply.json.ok) return;
  if (existsSync(made + "/shader.json")) compare(file, form + ", side file", reply.json.side, readFileSync(made + "/shader.json", "utf8"));
  const opened = module.ask({ask: "open", file: "shader.bin", side: reply.json.side, machine}, reply.bytes).json;
  compare(file, form + " --explain-cost", opened.ok ? module.ask({ask: "costs", source: text}).json.text : undefined, native(["compile", file, "-m", machine, "--no-verify", "--explain-cost"]));
}
const placed = (list) => JSON.stringify(list.map((each) => [each.severity, each.code, each.line ?? 0, each.column ?? 0, each.message, each.hint ?? ""]));

const shaders = module.ask({ask: "targets"}).json.ok ? folders.filter(existsSync).flatMap(files).filter((file) => /\.(vert|frag|comp)$/.test(file)) : [];
if (shaders.length !== 0) {
  for (const file of shaders)
    for (const machine of module.ask({ask: "targets"}).json.machines)
      try {
        compareShader(file, machine);
      } catch (problem) {
        console.log(`${file}: ${machine}: the module ended: ${problem.message}`);
        ++different;
        module = await start();
      }
}
rmSync(made, {recursive: true});
console.log(`${programs.length} programs, ${shaders.length} shaders: ${compared} results compared, ${refused} that neither gives, ${different} different`);
process.exit(different === 0 && compared > 0 ? 0 : 1);
