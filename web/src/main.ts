// Puts the columns together: what is chosen in one is shown in all.
import {Laboratory} from "./engine";
import type {Begun} from "./start";
import type {About, Answer, Compiled, Costs, ManualEntry, Refusal, Timing, Word} from "./core/answers";
import {assembled, machines, stateOf, type Example} from "./core/questions";
import {emptyState, fromBase64, fromFragment, isLink, isShader, normalised, toBase64, toFragment, unzipping, type State} from "./core/state";
import {byId, counted, element, keepFocus} from "./dom";
import {Code} from "./panes/code";
import {Cost} from "./panes/cost";
import {Does, isMesh, isPicture} from "./panes/does";
import {Lessons, type Lesson} from "./panes/lesson";
import {Age} from "./panes/age";
import {linesOf, Shader} from "./panes/shader";
import {Source} from "./panes/source";
import {Time} from "./panes/time";
import {Verifying} from "./panes/verify";
import {Views} from "./panes/views";

declare const EXAMPLES: Example[];
declare const EXAMPLE_FILES: Record<string, string>;
/** first.ts */
declare const begun: Begun;
declare const LESSONS: Lesson[];

/** What stands behind this script, the module with everything, is there only then. */
const wholePage = new Promise<void>((resolve) => document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", () => resolve()) : resolve());

/** Of a program: as much code as the command describes, and what the module takes apart within its memory. */
const mostProgramBytes = 4 << 20;
/** Of a mesh or a picture. */
const mostBytes = 32 << 20;
const isStream = (name: string) => /\.pm4$/i.test(name);
const mebibytes = (bytes: number) => `${(bytes / (1 << 20)).toFixed(1).replace(".0", "")} MiB`;
const isIncluded = (name: string) => !isShader(name) && /\.(glsl|glslh|glsli|inc|h)$/i.test(name);
/** Of documents that come with a program, what tells inputs of a run from what is known of the program. */
function areInputs(name: string, text: string): boolean {
  if (/\.inputs\.json$/i.test(name)) return true;
  try {
    const found = JSON.parse(text);
    return typeof found === "object" && found !== null &&
      (["mesh", "corners", "varyings", "attributes", "textures", "threads"].some((each) => each in found) || (typeof found.uniforms === "object" && !Array.isArray(found.uniforms)));
  } catch {
    return false;
  }
}
/** What browsers take as an address. */
const longestLink = 1 << 20;
const linkHoldsAll = "The link in the address line holds everything.";

/** What a program comes with. */
interface Beside { side: string; inputs: string; shader: string; files: Map<string, Uint8Array> }

const mostFindings = 50;
const isSuperseded = (answer: {ok: boolean; isSuperseded?: boolean}) => answer.isSuperseded === true;
const isCore = (name: string) => name.startsWith("scoreboard:");

const packed = (id: string) => byId(id).textContent!;

async function main() {
  performance.mark("started");
  const progress = byId<HTMLProgressElement>("progress");
  keepFocus(byId("busy"), byId("message"));
  const engine = new Laboratory(JSON.parse(packed("answers")), packed("decoders"), begun, () => wholePage.then(() => packed("wasm")), (busy) => {
    byId("busy").toggleAttribute("hidden", !busy);
    progress.value = 0;
  }, (part) => { progress.value = part; });
  /** Meshes, pictures, what shaders include. */
  let kept = new Map<string, Uint8Array>();
  let state: State = {...emptyState};
  /** Of a shader, what it was compiled to: the program that views are about. */
  let compiled: State | undefined;
  /** Counts what was begun: an edit, another program. What an older one still finds is not shown. */
  let turn = 0;
  /** The one that somebody cancelled. */
  let halted = -1;
  const isOver = (mine: number) => mine !== turn || mine === halted;
  const age = new Age();
  /** Whose manual the editor has. */
  let manualOf = "";
  /** The one in the address line, as long as it holds what is shown. */
  let link = "";
  let words: Word[] = [];
  let chosen = -1;
  /** Whether nothing of it has been shown yet. */
  let isNew = true;
  const choose = (offset: number) => {
    if (offset === chosen) return;
    chosen = offset;
    source.choose(offset);
    void code.choose(offset);
    time.choose(offset);
    shader.choose(offset);
    cost.choose(offset);
  };
  const source = new Source(byId("editor"), () => {
    unlink();
    later();
  }, choose);
  const code = new Code(engine, choose);
  const time = new Time(choose);
  const shader = new Shader(choose);
  const cost = new Cost(choose);
  const stateNow = () => normalised({...state, text: source.text, inputs: does.inputs, machine: machine.value});
  const views: Views = new Views(engine, () => compiled ? {...compiled, inputs: does.inputs} : stateNow(), choose);
  const does: Does = new Does(engine, code, choose, (clock) => void views.showClock(clock),
    (address) => views.follow(address === null ? undefined : words.findIndex((each) => each.offset === address), words.length), (isNewText) => {
      unlink();
      isNewText ? later() : laterTime();
    }, () => ({text: compiled ? source.text : state.shader, files: kept, isCompiled: compiled !== undefined}));
  const threads = byId<HTMLInputElement>("threads");
  /** As many as were asked for last, within the limits of the field. */
  let threadsAsked = 0;
  const lessons = new Lessons(engine, () => ({inputs: does.inputs, threads: threadsAsked}));
  const machine = byId<HTMLSelectElement>("machine"), examples = byId<HTMLSelectElement>("examples"), lessonList = byId<HTMLSelectElement>("lessons");
  /** Of the list, what is shown: none of a program that came from elsewhere. */
  let exampleShown = -1;
  /** While there is a lesson, what was there before the first one. */
  let threadsBefore: number | undefined;
  const verifying = new Verifying(engine);
  const hasCompiler = () => document.body.dataset.compiler === "true";
  const withoutCompiler = (): Refusal => {
    const message = "This page was built without the compiler of shaders.";
    return {ok: false, diagnostics: [{severity: "error", code: "", line: 0, column: 0, length: 0, message, hint: "compile it: mobula compile"}], text: message};
  };
  const say = (text: string) => byId("message").replaceChildren(...text.split("\n").flatMap((line, at) => [
    ...(at === 0 ? [] : ["\n"]), element("span", {class: /(^|: )error: /.test(line) ? "error" : ""}, line)]));
  const inWords = (refused: Refusal) => refused.diagnostics.map((each) => `${each.line ? `line ${each.line}: ` : ""}${each.severity}: ${each.message}${each.hint ? " — " + each.hint : ""}${each.code ? ` [${each.code}]` : ""}`);
  /** The program that is there stays: these errors are none of its text. */
  const refuseFile = (file: string, refused: Refusal) => {
    say([`error: ${file} was not opened`, ...inWords(refused)].join("\n"));
    return false;
  };
  /** A reload must not bring back what is shown no more. */
  function unlink() {
    if (link === "") return;
    link = "";
    history.replaceState(history.state, "", location.href.split("#")[0]);
  }

  let timer = 0, timeTimer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void assemble(), 150);
  };

  /** What a slider changes, changes the paths that threads take. */
  const laterTime = () => {
    clearTimeout(timeTimer);
    timeTimer = setTimeout(() => does.about && void showTime(does.about), 300);
  };

  /** Nothing of the program that was there before this one, of which nothing can be said. */
  function clear() {
    words = [];
    age.renewAll();
    source.setWords([], false);
    code.setWords([], true, "");
    time.show(undefined);
    cost.show(undefined, [], "");
    shader.show("", "", []);
    does.clear();
    views.clear();
  }

  async function show(json: Answer<About>) {
    if (!json.ok) {
      if (isNew) clear();
      age.show();
      source.show(json.diagnostics);
      return say(inWords(json).join("\n"));
    }
    isNew = false;
    const findings = json.diagnostics;
    const kind = json.firmware ? ", firmware" : json.stage === "unknown" ? "" : ", " + json.stage;
    say(`${json.machine}${kind}: ${counted(json.words.length, isCore(json.machine) ? "operation" : "word")}` + findings.slice(0, mostFindings).map((each) => `\n${each.severity}: ${each.message} [${each.code}]`).join(""));
    age.renew("code");
    words = json.words;
    source.setWords(words, compiled !== undefined);
    source.show(findings.filter(() => compiled === undefined));
    code.setWords(json.words, !isCore(json.machine), json.machine);
    byId("threads-part").hidden = isCore(json.machine) || (json.firmware ?? false);
    chosen = -1;
    does.forget();
    does.about = json;
    if (json.words.length !== 0) choose(json.words[0].offset);
    shader.show(state.shader, state.side, json.words);
    shader.choose(chosen);
    performance.mark("decoded");
    const mine = turn;
    const all = [["does", () => does.show(json)], ["", () => showTime(json)], ["time", showCosts], ["views", () => views.show(json)], ["", () => lessons.check()]] as const;
    for (const [column, more] of all) {
      await more();
      if (mine !== turn) return;
      if (column !== "") age.renew(column);
      if (isOver(mine)) return;
    }
  }

  async function showTime({machine}: About) {
    const timed = await engine.ask<Timing>(isCore(machine) ? {ask: "core_time"} : {ask: "time", threads: threadsAsked, inputs: does.fitting.text});
    if (isSuperseded(timed.json)) return;
    time.show(timed.json.ok ? timed.json : undefined, timed.json.ok ? "" : timed.json.text, isCore(machine));
    time.choose(chosen);
  }

  async function showCosts() {
    if (!compiled) return cost.show(undefined, [], "");
    const {json} = await engine.ask<Costs>({ask: "costs", source: source.text});
    if (isSuperseded(json)) return;
    cost.show(json.ok ? json : undefined, words, source.text);
    cost.choose(chosen);
  }

  /** The shader's machine code, opened as a file would be; words between two of known lines belong to the first. */
  async function compile(mine: number) {
    if (!hasCompiler()) return show(withoutCompiler());
    const made = await engine.ask<Compiled>({ask: "compile", ...state});
    if (isOver(mine)) return;
    if (!made.json.ok) return show(made.json);
    const file = state.file + ".bin", side = made.json.side;
    const {json} = await engine.ask<About>({ask: "open", file, side, machine: state.machine}, made.bytes);
    if (isOver(mine)) return;
    if (!json.ok) return show(json);
    compiled = {...state, machine: json.machine, file, text: json.text!, side: json.side!};
    const lines = linesOf(side);
    for (const word of json.words) word.line = lines.findLast(([from]) => from <= word.offset)?.[1] ?? 0;
    void verifying.start(state);
    await show(json);
  }

  /** A number of its own, when whatever was under way has ended. */
  async function begin(): Promise<number> {
    const mine = ++turn;
    await engine.supersede();
    return mine;
  }

  /** What is in the editor, for the machine that is chosen. */
  async function assemble() {
    clearTimeout(timer);
    followDirective();
    if (words.length !== 0) age.begin(isNew ? ["code", "time", "views"] : ["code", "time", "does", "views"]);
    verifying.stop();
    const mine = await begin();
    if (isOver(mine)) return;
    state = stateNow();
    compiled = undefined;
    const isCompiled = isShader(state.file) && !isCore(state.machine);
    const answer = isCompiled ? undefined : engine.ask<About>(isCore(machine.value) ? workloadRequest(state) : assembled(state));
    void setManual();
    if (!answer) return compile(mine);
    const {json} = await answer;
    if (!isOver(mine)) await show(json);
  }

  /** A text that names another variant of the machine that is chosen is for that one: it was edited, or an edit was taken back. */
  function followDirective() {
    const named = isShader(state.file) ? undefined : source.machineNamed;
    if (named && named !== machine.value && named.split(":")[0] === machine.value.split(":")[0] && hasMachine(named)) {
      state.side = "";
      setMachine(named);
    }
  }

  const workloadRequest = (from: State) => ({ask: "workload", preset: from.machine.slice("scoreboard:".length), text: from.text, file: from.file, inputs: from.inputs});

  const hasMachine = (name: string) => [...machine.options].some((each) => each.value === name);
  function setMachine(name: string) {
    if (!hasMachine(name)) machine.append(element("option", {value: name}, name));
    machine.value = name;
  }
  /** What the editor knows of the machine, asked when that is another one. */
  async function setManual() {
    const name = machine.value;
    if (name === manualOf) return;
    manualOf = name;
    if (isCore(name)) return source.setManual([], name);
    const {json} = await engine.ask<{entries: ManualEntry[]}>({ask: "manual", machine: name.split(":")[0]});
    if (name !== manualOf) return;
    if (json.ok) source.setManual(json.entries, name);
    else manualOf = "";
  }

  /** A file of any kind. Whether it is there now: if not, the program before it stays. */
  async function open(file: string, bytes: Uint8Array, {side, inputs, shader: shaderText, files}: Beside): Promise<boolean> {
    const mine = await begin();
    if (isOver(mine)) return false;
    if (isShader(file)) return openShader(mine, file, new TextDecoder().decode(bytes), inputs || side, files);
    if (file.endsWith(".sb")) {
      const core = isCore(machine.value) ? machine.value : "scoreboard:seed_two_level";
      const {json} = await engine.ask<About>({...workloadRequest({...emptyState, file, inputs, machine: core}), text: ""}, bytes);
      if (isOver(mine)) return false;
      if (!json.ok) return refuseFile(file, json);
      await restore({...emptyState, machine: core, file, text: json.text!, inputs});
      return true;
    }
    let {json} = await engine.ask<About>({ask: "open", file, side}, bytes);
    if (!json.ok && !isCore(machine.value) && json.diagnostics.some((each) => each.code === "MOB005"))
      ({json} = await engine.ask<About>({ask: "open", file, side, machine: machine.value}, bytes));
    if (isOver(mine)) return false;
    if (!json.ok) return refuseFile(file, json);
    await restore({...emptyState, machine: json.machine, file, text: json.text!, side: json.side!, inputs, shader: shaderText}, {files});
    return true;
  }

  /** For the machine that is chosen, if shaders are compiled for it. */
  async function openShader(mine: number, file: string, text: string, inputs: string, files: Map<string, Uint8Array>) {
    if (!hasCompiler()) return refuseFile(file, withoutCompiler());
    const targets = await engine.ask<{machines: string[]}>({ask: "targets"});
    if (isOver(mine)) return false;
    if (!targets.json.ok) return refuseFile(file, targets.json);
    const known = targets.json.machines;
    const target = [machine.value, ...[...machine.options].map((each) => each.value)].find((each) => known.includes(each.split(":")[0]))!;
    await restore({...emptyState, machine: target, file, text, inputs}, {files});
    return true;
  }

  const filesOf = (from: {files: Record<string, string>}) => new Map(Object.entries(from.files).map(([name, bytes]) => [name, fromBase64(bytes)]));
  /** Another program, which is one of the examples, or of a lesson, or what a link holds. */
  async function restore(wanted: State, {files = filesOf(wanted), example = -1, lesson = undefined as Lesson | undefined, from = ""} = {}) {
    unlink();
    if (words.length !== 0) does.begin();
    code.breakpoints.clear();
    beginLesson(lesson);
    examples.selectedIndex = exampleShown = example;
    state = wanted;
    isNew = true;
    does.inputs = state.inputs;
    keep(files);
    if (state.machine !== "") setMachine(state.machine);
    source.text = state.text;
    link = from;
    await assemble();
  }

  /** Threads are those of the lesson until it is left. */
  function beginLesson(lesson: Lesson | undefined) {
    if (lesson) threadsBefore ??= threadsAsked;
    setThreads(lesson ? lesson.threads ?? 0 : threadsBefore ?? threadsAsked);
    if (!lesson) {
      threadsBefore = undefined;
      lessonList.value = "";
    }
    lessons.begin(lesson);
  }
  function setThreads(count: number) {
    threadsAsked = count;
    threads.value = String(count);
    areThreads();
  }
  /** Whether there can be as many threads as the field says; beside it stands what it takes. */
  function areThreads() {
    const is = /^\d+$/.test(threads.value.trim()) && Number(threads.value) <= Number(threads.max), hint = byId("threads-hint");
    threads.setAttribute("aria-invalid", String(!is));
    hint.textContent = is ? "0: as the inputs say, else as many as fit" : `a whole number from 0 to ${threads.max}; it is still ${threadsAsked}`;
    hint.classList.toggle("error", !is);
    return is;
  }

  function keep(files: Map<string, Uint8Array>) {
    kept = files;
    engine.keep(kept);
    byId("files").replaceChildren(...[...kept].map(([name, bytes]) => element("li", {}, `${name}, ${bytes.length} bytes `, element("button", {"aria-label": "Remove " + name, click: () => {
      unlink();
      keep(new Map([...kept].filter(([each]) => each !== name)));
      void assemble();
    }}, "Remove"))));
  }

  /** In their order, whatever was chosen meanwhile. */
  async function listMachines(): Promise<void> {
    const {json} = await engine.ask<{machines: {name: string; variants: string[]}[]}>(machines);
    if (isSuperseded(json)) return listMachines();
    const chosen = machine.value, known = json.ok ? json.machines.flatMap((each) => each.variants.map((variant) => `${each.name}:${variant}`)) : [];
    machine.replaceChildren(...known.map((each) => element("option", {value: each}, each)));
    if (chosen !== "") setMachine(chosen);
  }
  threads.addEventListener("change", () => {
    if (!areThreads()) return;
    setThreads(Number(threads.value));
    void assemble();
  });
  machine.addEventListener("change", async () => {
    unlink();
    state.side = "";  // it is about another machine's program
    if (!isShader(state.file)) source.nameMachine(machine.value);
    await assemble();
  });

  examples.append(...EXAMPLES.map((each, index) => element("option", {value: index}, each.title)));
  const openExample = () => restore(stateOf(EXAMPLES[examples.selectedIndex], EXAMPLE_FILES), {example: examples.selectedIndex});
  lessonList.append(...LESSONS.map((each, index) => element("option", {value: index}, `${index + 1}. ${each.title}`)));
  lessonList.addEventListener("change", async () => {
    const lesson = lessonList.value === "" ? undefined : LESSONS[Number(lessonList.value)];
    if (!lesson) {
      beginLesson(undefined);
      return assemble();
    }
    await restore({...emptyState, machine: lesson.machine, file: lesson.file, text: lesson.text, inputs: lesson.inputs}, {lesson});
    if (lesson.view && lessonList.value === String(LESSONS.indexOf(lesson))) await views.open(lesson.view);
  });
  examples.addEventListener("change", () => void openExample());

  /** A program, and beside it what is known of it: its side file, the shader that it was compiled from, its inputs; or what goes to the program that is there. */
  const openFiles = async (files: File[]) => {
    const isBeside = (name: string) => isPicture(name) || isMesh(name) || isIncluded(name);
    const most = (file: File) => isPicture(file.name) || isMesh(file.name) ? mostBytes : mostProgramBytes;
    const large = files.find((each) => each.size > most(each));
    if (large) return say(`error: ${large.name} was not opened: it has ${mebibytes(large.size)}, and the page takes at most ${mebibytes(most(large))} of it`);
    const documents = await Promise.all(files.filter((each) => /\.json$/i.test(each.name)).map(async (each) => ({name: each.name, text: await each.text()})));
    const stream = files.find(({name}) => isStream(name));
    const inputs = stream ? {name: stream.name, text: await stream.text()} : documents.find(({name, text}) => areInputs(name, text)), side = documents.find((each) => each !== inputs);
    const mains = files.filter(({name}) => !/\.json$/i.test(name) && !isBeside(name) && !isStream(name)), shaders = mains.filter(({name}) => isShader(name));
    const program = mains.find((each) => !shaders.includes(each)) ?? shaders[0];
    const shader = program && !isShader(program.name) ? shaders[0] ?? files.find(({name}) => isIncluded(name)) : undefined;
    const beside = files.filter((each) => isBeside(each.name) && each !== shader);
    const found = new Map(await Promise.all(beside.map(async (each) => [each.name, new Uint8Array(await each.arrayBuffer())] as const)));
    if (program) {
      if (!await open(program.name, new Uint8Array(await program.arrayBuffer()), {side: side?.text ?? "", inputs: inputs?.text ?? "", shader: await shader?.text() ?? "", files: found})) return;
    } else {
      if (stream && !does.about?.firmware) return say(`error: ${stream.name} was not opened: it is a command stream, which goes to firmware`);
      unlink();
      keep(new Map([...kept, ...found]));
      if (inputs ?? side) does.inputs = (inputs ?? side)!.text;
    }
    if (!inputs) for (const name of found.keys()) does.take(name);
    if (!program || found.size !== 0) await assemble();
    const left = mains.filter((each) => each !== program && each !== shader);
    if (left.length !== 0) say(`${byId("message").textContent}\nThe page shows one program at a time. Not opened: ${left.map((each) => each.name).join(", ")}`);
  };
  byId<HTMLInputElement>("file").addEventListener("change", ({target}) => {
    const control = target as HTMLInputElement, files = [...control.files ?? []];
    control.value = "";  // else nothing happens when the same file is chosen again
    void openFiles(files);
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    void openFiles([...event.dataTransfer?.files ?? []]);
  });
  byId("cancel").addEventListener("click", () => {
    halted = turn;
    engine.cancel();
    examples.selectedIndex = exampleShown;
    age.show();
    say(age.isOld("code") ? "Cancelled: this text was not translated." : byId("message").textContent + "\nCancelled.");
  });
  byId("share").addEventListener("click", async () => {
    const fragment = await toFragment({...stateNow(), files: Object.fromEntries([...kept].map(([name, bytes]) => [name, toBase64(bytes)]))});
    if (fragment.length > longestLink) return say(`A link with all of it would have ${fragment.length} letters, and browsers take ${longestLink}: remove files, or share the files themselves.`);
    link = fragment;
    location.hash = fragment;
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    say(linkHoldsAll);
  });

  const presets = () => engine.ask<{presets: {name: string; summary: string}[]}>({ask: "presets"});
  /** What a link holds; nothing if it is damaged, or for a machine that nobody knows. */
  async function readLink(fragment: string): Promise<State | undefined> {
    const held = await fromFragment(fragment);
    if (!held || held.machine === "" || [...machine.options].some(({value}) => value === held.machine || value.startsWith(held.machine + ":"))) return held;
    if (!isCore(held.machine)) return undefined;
    const {json} = await presets();
    return json.ok && json.presets.some((each) => held.machine === "scoreboard:" + each.name) ? held : undefined;
  }
  /** Another link in the address line of the page that is open: somebody went back, or put it there. */
  addEventListener("hashchange", async () => {
    const fragment = location.hash;
    if (fragment === link) return;
    link = "";
    if (!isLink(fragment)) return void (byId("message").textContent === linkHoldsAll && say("No link is in the address line; what is shown stays."));
    const held = await readLink(fragment);
    if (location.hash !== fragment) return;
    if (held) return restore(held, {from: fragment});
    link = fragment;
    say("error: this link is damaged, or of another version of the page; what is shown stays");
  });

  const licences = byId<HTMLDialogElement>("licences-part");
  byId("show-licences").addEventListener("click", async () => {
    await wholePage;
    byId("licences-text").textContent = await new Response(unzipping(packed("licences"))).text();
    licences.showModal();
  });
  byId("hide-licences").addEventListener("click", () => licences.close());

  const isLinked = isLink(location.hash), opened = isLinked ? undefined : openExample();
  await listMachines();
  const shared = isLinked ? await readLink(location.hash) : undefined;
  await (shared ? restore(shared, {from: location.hash}) : opened ?? openExample());
  if (!shared && isLinked) {
    say("error: this link is damaged, or of another version of the page; here is an example instead");
    link = location.hash;
  }
  const named = (await presets()).json;
  for (const each of named.ok ? named.presets : []) {
    const value = "scoreboard:" + each.name, known = [...machine.options].find((option) => option.value === value);
    known ? known.title = each.summary : machine.append(element("option", {value, title: each.summary}, value));
  }
  performance.mark("ready");
  document.body.dataset.ready = "true";
}

void main();
