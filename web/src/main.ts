// Puts the columns together: what is chosen in one is shown in all.
import {Laboratory} from "./engine";
import type {About, Answer, Compiled, Costs, ManualEntry, Refusal, Timing, Word} from "./core/answers";
import {emptyState, fromBase64, fromFragment, isShader, normalised, toFragment, unzipped, type State} from "./core/state";
import {byId, element} from "./dom";
import {Code} from "./panes/code";
import {Cost} from "./panes/cost";
import {Does} from "./panes/does";
import {Lessons, type Lesson} from "./panes/lesson";
import {linesOf, Shader} from "./panes/shader";
import {Source} from "./panes/source";
import {Time} from "./panes/time";
import {Views} from "./panes/views";

declare const EXAMPLES: {title: string; file: string; bytes: string; side: string; inputs: string; machine: string; shader: string}[];
declare const LESSONS: Lesson[];

/** What stands behind this script, the module with everything, is there only then. */
const wholePage = new Promise<void>((resolve) => document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", () => resolve()) : resolve());

const isCore = (name: string) => name.startsWith("scoreboard:");

async function main() {
  const engine = new Laboratory(unzipped(byId("decoders").textContent!), wholePage.then(() => unzipped(byId("wasm").textContent!)),
                                (busy) => byId("cancel").toggleAttribute("hidden", !busy));
  let state: State = {...emptyState};
  /** Of a shader, what it was compiled to: the program that views are about. */
  let compiled: State | undefined;
  let turn = 0;
  let words: Word[] = [];
  let chosen = -1;
  const choose = (offset: number) => {
    if (offset === chosen) return;
    chosen = offset;
    source.choose(offset);
    void code.choose(offset);
    time.choose(offset);
    shader.choose(offset);
    cost.choose(offset);
  };
  const source = new Source(byId("editor"), () => later(), choose);
  const code = new Code(engine, choose);
  const time = new Time(choose);
  const shader = new Shader(choose);
  const cost = new Cost(choose);
  const stateNow = () => normalised({...state, text: source.text, inputs: does.inputs, machine: machine.value});
  const views: Views = new Views(engine, () => compiled ? {...compiled, inputs: does.inputs} : stateNow(), choose);
  const does: Does = new Does(engine, code, choose, (clock) => void views.showClock(clock),
    (address) => views.follow(address === null ? undefined : words.findIndex((each) => each.offset === address), words.length), () => later());
  const threads = byId<HTMLInputElement>("threads");
  const lessons = new Lessons(engine, () => ({inputs: does.inputs, threads: Number(threads.value)}));
  const machine = byId<HTMLSelectElement>("machine");
  const hasCompiler = () => document.body.dataset.compiler === "true";
  const withoutCompiler = (): Refusal => {
    const message = "This page was built without the compiler of shaders.";
    return {ok: false, diagnostics: [{severity: "error", code: "", line: 0, column: 0, length: 0, message, hint: "compile it: mobula compile"}], text: message};
  };
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
    say(`${json.machine}, ${json.stage}: ${json.words.length} ${isCore(json.machine) ? "operations" : "words"}` + findings.slice(0, 6).map((each) => `\n${each.severity}: ${each.message} [${each.code}]`).join(""));
    words = json.words;
    source.setWords(words, compiled !== undefined);
    source.show(findings.filter(() => compiled === undefined));
    code.setWords(json.words, !isCore(json.machine));
    byId("threads-part").hidden = isCore(json.machine) || (json.firmware ?? false);
    chosen = -1;
    does.forget();
    if (json.words.length !== 0) choose(json.words[0].offset);
    shader.show(state.shader, state.side, json.words);
    shader.choose(chosen);
    performance.mark("decoded");
    const mine = turn;
    for (const more of [showTime, showCosts, () => does.show(json), () => views.show(json), () => lessons.check()]) {
      await more(json);
      if (mine !== turn) return;  // another program, or cancelled
    }
  }

  async function showTime({machine}: About) {
    const timed = await engine.ask<Timing>(isCore(machine) ? {ask: "core_time"} : {ask: "time", threads: Number(threads.value)});
    time.show(timed.json.ok ? timed.json : undefined, timed.json.ok ? "" : timed.json.text, isCore(machine));
    time.choose(chosen);
  }

  async function showCosts() {
    if (!compiled) return cost.show(undefined, [], "");
    const {json} = await engine.ask<Costs>({ask: "costs", source: source.text});
    cost.show(json.ok ? json : undefined, words, source.text);
    cost.choose(chosen);
  }

  /** The shader's machine code, opened as a file would be; words between two of known lines belong to the first. */
  async function compile() {
    const mine = ++turn;
    if (!hasCompiler()) return show(withoutCompiler());
    const made = await engine.ask<Compiled>({ask: "compile", ...state});
    if (mine !== turn) return;
    if (!made.json.ok) return show(made.json);
    const file = state.file + ".bin", side = made.json.side;
    const {json} = await engine.ask<About>({ask: "open", file, side, machine: state.machine}, made.bytes);
    if (mine !== turn) return;
    if (!json.ok) return show(json);
    compiled = {...state, machine: json.machine, file, text: json.text!, side: json.side!};
    const lines = linesOf(side);
    for (const word of json.words) word.line = lines.findLast(([from]) => from <= word.offset)?.[1] ?? 0;
    await show(json);
  }

  async function assemble() {
    state = stateNow();
    compiled = undefined;
    if (isShader(state.file) && !isCore(state.machine)) return compile();
    ++turn;
    const {json} = await engine.ask<About>(isCore(machine.value) ? workloadRequest(state) : {ask: "assemble", ...state});
    await show(json);
  }

  const workloadRequest = (from: State) => ({ask: "workload", preset: from.machine.slice("scoreboard:".length), text: from.text, file: from.file, inputs: from.inputs});

  async function setMachine(name: string) {
    const plain = name.split(":")[0];
    if (![...machine.options].some((each) => each.value === name)) machine.append(element("option", {value: name}, name));
    machine.value = name;
    if (isCore(name)) return source.setManual([]);
    const {json} = await engine.ask<{entries: ManualEntry[]}>({ask: "manual", machine: plain});
    if (json.ok) source.setManual(json.entries);
  }

  /** A file of any kind, or an example. */
  async function open(file: string, bytes: Uint8Array, side: string, inputs: string, asked = "", shaderText = "") {
    if (isShader(file)) return openShader(file, new TextDecoder().decode(bytes), inputs || side, asked);
    if (file.endsWith(".sb")) {
      const core = isCore(asked) ? asked : isCore(machine.value) ? machine.value : "scoreboard:seed_two_level";
      const {json} = await engine.ask<About>({...workloadRequest({...emptyState, file, inputs, machine: core}), text: ""}, bytes);
      return json.ok ? restore({...emptyState, machine: core, file, text: json.text!, inputs}) : show(json);
    }
    let {json} = await engine.ask<About>({ask: "open", file, side, machine: asked}, bytes);
    if (!json.ok && asked === "" && !isCore(machine.value) && json.diagnostics.some((each) => each.code === "MOB005"))
      ({json} = await engine.ask<About>({ask: "open", file, side, machine: machine.value}, bytes));
    if (!json.ok) return show(json);
    await restore({version: 1, machine: json.machine, file, text: json.text!, side: json.side!, inputs, shader: shaderText});
  }

  /** For the machine that is chosen, if shaders are compiled for it. */
  async function openShader(file: string, text: string, inputs: string, asked: string) {
    if (!hasCompiler()) return show(withoutCompiler());
    const targets = await engine.ask<{machines: string[]}>({ask: "targets"});
    if (!targets.json.ok) return show(targets.json);
    const known = targets.json.machines;
    const target = [asked, machine.value, [...machine.options].find((each) => known.includes(each.value.split(":")[0]))!.value].find((each) => known.includes(each.split(":")[0]))!;
    await restore({...emptyState, machine: target, file, text, inputs});
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
  const presets = await engine.ask<{presets: {name: string; summary: string}[]}>({ask: "presets"});
  if (presets.json.ok)
    machine.append(...presets.json.presets.map((each) => element("option", {value: "scoreboard:" + each.name, title: each.summary}, "scoreboard:" + each.name)));
  threads.addEventListener("change", () => void assemble());
  machine.addEventListener("change", async () => {
    state.side = "";  // it is about another machine's program
    await setMachine(machine.value);
    await assemble();
  });

  const examples = byId<HTMLSelectElement>("examples");
  examples.append(...EXAMPLES.map((each, index) => element("option", {value: index}, each.title)));
  const openExample = () => {
    const each = EXAMPLES[Number(examples.value)];
    lessonList.value = "";
    lessons.begin(undefined);
    return open(each.file, fromBase64(each.bytes), each.side, each.inputs, each.machine, each.shader);
  };
  const lessonList = byId<HTMLSelectElement>("lessons");
  lessonList.append(...LESSONS.map((each, index) => element("option", {value: index}, `${index + 1}. ${each.title}`)));
  lessonList.addEventListener("change", async () => {
    const lesson = lessonList.value === "" ? undefined : LESSONS[Number(lessonList.value)];
    lessons.begin(lesson);
    if (!lesson) return;
    threads.value = String(lesson.threads ?? 0);
    await restore({...emptyState, machine: lesson.machine, file: lesson.file, text: lesson.text, inputs: lesson.inputs});
    if (lesson.view) await views.open(lesson.view);
  });
  examples.addEventListener("change", () => void openExample());

  /** A program, and beside it what is known of it: its side file, the shader that it was compiled from. */
  const openFiles = async (files: File[]) => {
    const ends = (end: RegExp) => files.find((each) => end.test(each.name));
    const side = ends(/\.json$/), text = ends(/\.(vert|frag|comp|glsl)$/);
    const program = files.find((each) => each !== side && each !== text) ?? files[0];
    if (!program) return;
    lessons.begin(undefined);
    await open(program.name, new Uint8Array(await program.arrayBuffer()), side && side !== program ? await side.text() : "", "", "", await text?.text() ?? "");
  };
  byId<HTMLInputElement>("file").addEventListener("change", (event) => void openFiles([...(event.target as HTMLInputElement).files ?? []]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    void openFiles([...event.dataTransfer?.files ?? []]);
  });
  byId("cancel").addEventListener("click", () => {
    ++turn;
    engine.cancel();
  });
  byId("share").addEventListener("click", async () => {
    location.hash = await toFragment(stateNow());
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    say("The link in the address line holds everything.");
  });

  const shared = await fromFragment(location.hash);
  await (shared ? restore(shared) : openExample());
  performance.mark("ready");
  document.body.dataset.ready = "true";
}

void main();
