// Puts the columns together: what is chosen in one is shown in all.
import {Engine} from "./engine";
import type {About, Answer, ManualEntry, Timing} from "./core/answers";
import {emptyState, fromBase64, fromFragment, normalised, toFragment, unzipped, type State} from "./core/state";
import {byId, element} from "./dom";
import {Code} from "./panes/code";
import {Does} from "./panes/does";
import {Source} from "./panes/source";
import {Time} from "./panes/time";

declare const EXAMPLES: {title: string; file: string; bytes: string; side: string; inputs: string}[];

async function main() {
  const engine = new Engine(await unzipped(byId("wasm").textContent!), (busy) => byId("cancel").toggleAttribute("hidden", !busy));
  let state: State = {...emptyState};
  let chosen = -1;
  const choose = (offset: number) => {
    if (offset === chosen) return;
    chosen = offset;
    source.choose(offset);
    void code.choose(offset);
    time.choose(offset);
  };
  const source = new Source(byId("editor"), () => later(), choose);
  const code = new Code(engine, choose);
  const time = new Time(choose);
  const does = new Does(engine, code, choose);
  const machine = byId<HTMLSelectElement>("machine");
  const say = (text: string) => { byId("message").textContent = text; };

  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void assemble(), 150);
  };

  async function show(json: Answer<About>) {
    if (!json.ok) {
      source.show(json.diagnostics);
      return say(json.diagnostics.map((each) => `${each.line ? `line ${each.line}: ` : ""}${each.severity}: ${each.message}${each.hint ? " — " + each.hint : ""}${each.code ? ` [${each.code}]` : ""}`).join("\n"));
    }
    const findings = json.diagnostics;
    say(`${json.machine}, ${json.stage}: ${json.words.length} words` + findings.slice(0, 6).map((each) => `\n${each.severity}: ${each.message} [${each.code}]`).join(""));
    source.setWords(json.words);
    source.show(findings);
    code.setWords(json.words);
    chosen = -1;
    does.forget();
    if (json.words.length !== 0) choose(json.words[0].offset);
    const timed = await engine.ask<Timing>({ask: "time"});
    time.show(timed.json.ok ? timed.json : undefined, timed.json.ok ? "" : timed.json.text);
    time.choose(chosen);
    await does.show(json);
  }

  async function assemble() {
    state = {...state, text: source.text, machine: machine.value};
    const {json} = await engine.ask<About>({ask: "assemble", ...state});
    await show(json);
  }

  async function setMachine(name: string) {
    const plain = name.split(":")[0];
    if (![...machine.options].some((each) => each.value === name)) machine.append(element("option", {value: name}, name));
    machine.value = name;
    const {json} = await engine.ask<{entries: ManualEntry[]}>({ask: "manual", machine: plain});
    if (json.ok) source.setManual(json.entries);
  }

  /** A file of any kind, or an example. */
  async function open(file: string, bytes: Uint8Array, side: string, inputs: string, asked = "") {
    let {json} = await engine.ask<About>({ask: "open", file, side, machine: asked}, bytes);
    if (!json.ok && asked === "" && json.diagnostics.some((each) => each.code === "MOB005"))
      ({json} = await engine.ask<About>({ask: "open", file, side, machine: machine.value}, bytes));
    if (!json.ok) return show(json);
    await restore({version: 1, machine: json.machine, file, text: json.text!, side: json.side!, inputs});
  }

  async function restore(wanted: State) {
    state = wanted;
    does.inputs = state.inputs;
    if (state.machine !== "") await setMachine(state.machine);
    source.text = state.text;
    clearTimeout(timer);
    await assemble();
  }

  const {json} = await engine.ask<{machines: {name: string; summary: string; variants: string[]}[]}>({ask: "machines"});
  if (json.ok)
    machine.append(...json.machines.flatMap((each) => each.variants.map((variant) => element("option", {value: `${each.name}:${variant}`}, `${each.name}:${variant}`))));
  machine.addEventListener("change", async () => {
    await setMachine(machine.value);
    await assemble();
  });

  const examples = byId<HTMLSelectElement>("examples");
  examples.append(...EXAMPLES.map((each, index) => element("option", {value: index}, each.title)));
  const openExample = () => {
    const each = EXAMPLES[Number(examples.value)];
    return open(each.file, fromBase64(each.bytes), each.side, each.inputs);
  };
  examples.addEventListener("change", () => void openExample());

  const openFile = async (file: File) => open(file.name, new Uint8Array(await file.arrayBuffer()), "", "");
  byId<HTMLInputElement>("file").addEventListener("change", (event) => {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file) void openFile(file);
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void openFile(file);
  });
  byId("cancel").addEventListener("click", () => engine.cancel());
  byId("share").addEventListener("click", async () => {
    location.hash = await toFragment(normalised({...state, text: source.text, inputs: does.inputs}));
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    say("The link in the address line holds everything.");
  });

  const shared = await fromFragment(location.hash);
  await (shared ? restore(shared) : openExample());
  document.body.dataset.ready = "true";
}

void main();
