// compare.mjs LIBRARY WASM COMMAND FOLDER...: every program of the folders through the module and through the command, byte for byte:
// listing, micro-operations, timing report, findings.
import {execFileSync} from "node:child_process";
import {existsSync, readdirSync, readFileSync, statSync} from "node:fs";
import {basename, resolve} from "node:path";

const [library, wasm, command, ...folders] = process.argv.slice(2);
const {Module} = await import(resolve(library));
const start = () => Module.start(readFileSync(wasm));
let module = await start();

const files = (path) => statSync(path).isDirectory() ? readdirSync(path).sort().flatMap((name) => files(path + "/" + name)) : [path];
const programs = folders.filter(existsSync).flatMap(files).filter((file) => /\.(bin|mdg|gpasm|rgasm|afuc|mbs|hex)$/.test(file));

function native(args) {
  try {
    return execFileSync(command, args, {encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"]});
  } catch (problem) {
    return problem.stdout === "" ? undefined : problem.stdout;  // what has findings has a result, too
  }
}

let compared = 0, refused = 0, different = 0;
for (const file of programs) {
  const bytes = new Uint8Array(readFileSync(file)), json = file.replace(/\.[^.]*$/, ".json");
  const side = file.endsWith(".bin") && existsSync(json) ? readFileSync(json, "utf8") : "";
  try {
    const opened = module.ask({ask: "open", file: basename(file), side}, bytes).json;
    for (const [form, ...options] of [["disasm"], ["ir"], ["time", "--keep-going"]]) {
      const expected = native([form, file, ...options]);
      const reply = opened.ok ? module.ask({ask: "text", form}).json : opened;
      const got = reply.ok ? reply.text : undefined;
      if (expected === undefined || got === undefined) {
        ++refused;
        // The command lists no text: it is one.
        if (got !== expected && form !== "disasm") console.log(`${file}: only one of the two gives ${form}`), ++different;
        continue;
      }
      const plain = (text) => form === "time" ? text.replaceAll(file, basename(file)) : text;
      ++compared;
      if (got !== plain(expected)) console.log(`${file}: ${form} differs`), ++different;
    }
  } catch (problem) {
    console.log(`${file}: the module ended: ${problem.message}`);
    ++different;
    module = await start();
  }
}
console.log(`${programs.length} programs: ${compared} results compared, ${refused} that neither gives, ${different} different`);
process.exit(different === 0 && compared > 0 ? 0 : 1);
