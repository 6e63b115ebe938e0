// Puts the columns together: what is chosen in one is shown in all.
import {Laboratory} from "./engine";
import type {About, Answer, Compiled, Costs, ManualEntry, Refusal, Timing, Word} from "./core/answers";
import {emptyState, fromBase64, fromFragment, isLink, isShader, normalised, toBase64, toFragment, unzipping, type State} from "./core/state";
import {byId, element} from "./dom";
import {Code} from "./panes/code";
import {Cost} from "./panes/cost";
import {Does, isMesh, isPicture} from "./panes/does";
import {Lessons, type Lesson} from "./panes/lesson";
import {linesOf, Shader} from "./panes/shader";
import {Source} from "./panes/source";
import {Time} from "./panes/time";
import {Verifying} from "./panes/verify";
import {Views} from "./panes/views";

declare const EXAMPLES: {title: string; file: string; bytes: string; side: string; inputs: string; machine: string; shader: string; files: Record<string, string>}[];
declare const LESSONS: Lesson[];

/** What stands behind this script, the module with everything, is there only then. */
const wholePage = new Promise<void>((resolve) => document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", () => resolve()) : resolve());

/** As much as the command reads. */
const mostBytes = 256 << 20;
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
/** What a program comes with. */
/** What browsers take as an address. */
const longestLink = 1 << 20;

interface Beside { side: string; inputs: string; machine: string; shader: string; files: Map<string, Uint8Array> }

const isCore = (name: string) => name.startsWith("scoreboard:");

async function compiledFrom(id: string): Promise<WebAssembly.Module> {
  return WebAssembly.compileStreaming(new Response(unzipping(byId(id).textContent!), {headers: {"content-type": "application/wasm"}}));
}

async function main() {
  performance.mark("started");
  const progress = byId<HTMLProgressElement>("progress");
  const engine = new Laboratory(compiledFrom("decoders"), () => wholePage.then(() => compiledFrom("wasm")), (busy) => {
    byId("busy").toggleAttribute("hidden", !busy);
    progress.value = 0;
  }, (part) => { progress.value = part; });
  /** Meshes, pictures, what shaders include. */
  let kept = new Map<string, Uint8Array>();
  let state: State = {...emptyState};
  /** Of a shader, what it was compiled to: the program that views are about. */
  let compiled: State | undefined;
  let turn = 0;
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
  const source = new Source(byId("editor"), () => later(), choose);
  const code = new Code(engine, choose);
  const time = new Time(choose);
  const shader = new Shader(choose);
  const cost = new Cost(choose);
  const stateNow = () => normalised({...state, text: source.text, inputs: does.inputs, machine: machine.value});
  const views: Views = new Views(engine, () => compiled ? {...compiled, inputs: does.inputs} : stateNow(), choose);
  const does: Does = new Does(engine, code, choose, (clock) => void views.showClock(clock),
    (address) => views.follow(address === null ? undefined : words.findIndex((each) => each.offset === address), words.length), () => later(),
    () => ({text: compiled ? source.text : state.shader, files: kept}));
  const threads = byId<HTMLInputElement>("threads");
  const lessons = new Lessons(engine, () => ({inputs: does.inputs, threads: Number(threads.value)}));
  const machine = byId<HTMLSelectElement>("machine");
  const verifying = new Verifying(engine);
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

  /** Nothing of the program that was there before this one, of which nothing can be said. */
  function clear() {
    words = [];
    source.setWords([], false);
    code.setWords([], true);
    time.show(undefined);
    cost.show(undefined, [], "");
    shader.show("", "", []);
    does.clear();
    views.clear();
  }

  async function show(json: Answer<About>) {
    if (!json.ok) {
      if (isNew) clear();
      source.show(json.diagnostics);
      return say(json.diagnostics.map((each) => `${each.line ? `line ${each.line}: ` : ""}${each.severity}: ${each.message}${each.hint ? " — " + each.hint : ""}${each.code ? ` [${each.code}]` : ""}`).join("\n"));
    }
    isNew = false;
    const findings = json.diagnostics;
    say(`${json.machine}, ${json.stage}: ${json.words.length} ${isCore(json.machine) ? "operations" : "words"}` + findings.slice(0, 6).map((each) => `\n${each.severity}: ${each.message} [${each.code}]`).join(""));
    words = json.words;
    source.setWords(words, compiled !== undefined);
    source.show(findings.filter(() => compiled === undefined));
    code.setWords(json.words, !isCore(json.machine));
    byId("threads-part").hidden = isCore(json.machine) || (json.firmware ?? false);
    chosen = -1;
    does.forget();
    does.about = json;
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
    void verifying.start(state);
    await show(json);
  }

  async function assemble() {
    state = stateNow();
    compiled = undefined;
    verifying.stop();
    if (isShader(state.file) && !isCore(state.machine)) return compile();
    ++turn;
    const {json} = await engine.ask<About>(isCore(machine.value) ? workloadRequest(state) : {ask: "assemble", ...state});
    await show(json);
  }

  const workloadRequest = (from: State) => ({ask: "workload", preset: from.machine.slice("scoreboard:".length), text: from.text, file: from.file, inputs: from.inputs});

  function setMachine(name: string) {
    if (![...machine.options].some((each) => each.value === name)) machine.append(element("option", {value: name}, name));
    machine.value = name;
  }
  /** What the editor knows of the machine; the program does not wait for it. */
  async function setManual() {
    const name = machine.value;
    if (isCore(name)) return source.setManual([]);
    const {json} = await engine.ask<{entries: ManualEntry[]}>({ask: "manual", machine: name.split(":")[0]});
    if (json.ok && name === machine.value) source.setManual(json.entries);
  }
  const withManual = (work: Promise<void>) => Promise.all([work, setManual()]);

  /** A file of any kind, or an example. */
  async function open(file: string, bytes: Uint8Array, {side, inputs, machine: asked, shader: shaderText, files}: Beside) {
    if (isShader(file)) return openShader(file, new TextDecoder().decode(bytes), inputs || side, asked, files);
    if (file.endsWith(".sb")) {
      const core = isCore(asked) ? asked : isCore(machine.value) ? machine.value : "scoreboard:seed_two_level";
      const {json} = await engine.ask<About>({...workloadRequest({...emptyState, file, inputs, machine: core}), text: ""}, bytes);
      return json.ok ? restore({...emptyState, machine: core, file, text: json.text!, inputs}) : show(json);
    }
    let {json} = await engine.ask<About>({ask: "open", file, side, machine: asked}, bytes);
    if (!json.ok && asked === "" && !isCore(machine.value) && json.diagnostics.some((each) => each.code === "MOB005"))
      ({json} = await engine.ask<About>({ask: "open", file, side, machine: machine.value}, bytes));
    if (!json.ok) return show(json);
    await restore({...emptyState, machine: json.machine, file, text: json.text!, side: json.side!, inputs, shader: shaderText}, files);
  }

  /** For the machine that is chosen, if shaders are compiled for it. */
  async function openShader(file: string, text: string, inputs: string, asked: string, files: Map<string, Uint8Array>) {
    if (!hasCompiler()) return show(withoutCompiler());
    const targets = await engine.ask<{machines: string[]}>({ask: "targets"});
    if (!targets.json.ok) return show(targets.json);
    const known = targets.json.machines;
    const target = [asked, machine.value, [...machine.options].find((each) => known.includes(each.value.split(":")[0]))!.value].find((each) => known.includes(each.split(":")[0]))!;
    await restore({...emptyState, machine: target, file, text, inputs}, files);
  }

  async function restore(wanted: State, files = new Map(Object.entries(wanted.files).map(([name, bytes]) => [name, fromBase64(bytes)]))) {
    state = wanted;
    isNew = true;
    does.inputs = state.inputs;
    keep(files);
    if (state.machine !== "") setMachine(state.machine);
    source.text = state.text;
    clearTimeout(timer);
    await withManual(assemble());
  }

  function keep(files: Map<string, Uint8Array>) {
    kept = files;
    engine.keep(kept);
    byId("files").replaceChildren(...[...kept].map(([name, bytes]) => element("li", {}, `${name}, ${bytes.length} bytes `, element("button", {"aria-label": "Remove " + name, click: () => {
      keep(new Map([...kept].filter(([each]) => each !== name)));
      void assemble();
    }}, "Remove"))));
  }

  const {json} = await engine.ask<{machines: {name: string; summary: string; variants: string[]}[]}>({ask: "machines"});
  if (json.ok)
    machine.append(...json.machines.flatMap((each) => each.variants.map((variant) => element("option", {value: `${each.name}:${variant}`}, `${each.name}:${variant}`))));
  threads.addEventListener("change", () => void assemble());
  machine.addEventListener("change", async () => {
    state.side = "";  // it is about another machine's program
    await withManual(assemble());
  });

  const examples = byId<HTMLSelectElement>("examples");
  examples.append(...EXAMPLES.map((each, index) => element("option", {value: index}, each.title)));
  const openExample = () => {
    const each = EXAMPLES[Number(examples.value)];
    lessonList.value = "";
    lessons.begin(undefined);
    return open(each.file, fromBase64(each.bytes), {...each, files: new Map(Object.entries(each.files).map(([name, bytes]) => [name, fromBase64(bytes)]))});
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

  /** A program, and beside it what is known of it: its side file, the shader that it was compiled from, its inputs; or what goes to the program that is there. */
  const openFiles = async (files: File[]) => {
    const large = files.find((each) => each.size > mostBytes);
    if (large) return say(`error: ${large.name} is larger than ${mostBytes >> 20} MiB`);
    const isBeside = (name: string) => isPicture(name) || isMesh(name) || isIncluded(name);
    const documents = await Promise.all(files.filter((each) => /\.json$/i.test(each.name)).map(async (each) => ({name: each.name, text: await each.text()})));
    const inputs = documents.find(({name, text}) => areInputs(name, text)), side = documents.find((each) => each !== inputs);
    const mains = files.filter(({name}) => !/\.json$/i.test(name) && !isBeside(name)), shaders = mains.filter(({name}) => isShader(name));
    const program = mains.find((each) => !shaders.includes(each)) ?? shaders[0];
    const shader = program && !isShader(program.name) ? shaders[0] ?? files.find(({name}) => isIncluded(name)) : undefined;
    const beside = files.filter((each) => isBeside(each.name) && each !== shader);
    const found = new Map(await Promise.all(beside.map(async (each) => [each.name, new Uint8Array(await each.arrayBuffer())] as const)));
    if (program) {
      lessons.begin(undefined);
      lessonList.value = "";
      examples.selectedIndex = -1;
      await open(program.name, new Uint8Array(await program.arrayBuffer()), {side: side?.text ?? "", inputs: inputs?.text ?? "", machine: "", shader: await shader?.text() ?? "", files: found});
    } else {
      keep(new Map([...kept, ...found]));
      if (inputs ?? side) does.inputs = (inputs ?? side)!.text;
    }
    if (!inputs) for (const name of found.keys()) does.take(name);
    if (!program || found.size !== 0) await assemble();
    const left = mains.filter((each) => each !== program && each !== shader);
    if (left.length !== 0) say(`${byId("message").textContent}\nnot opened, as one program is there at a time: ${left.map((each) => each.name).join(", ")}`);
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
    const fragment = await toFragment({...stateNow(), files: Object.fromEntries([...kept].map(([name, bytes]) => [name, toBase64(bytes)]))});
    if (fragment.length > longestLink) return say(`A link with all of it would have ${fragment.length} letters, and browsers take ${longestLink}: remove files, or share the files themselves.`);
    location.hash = fragment;
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    say("The link in the address line holds everything.");
  });

  const licences = byId<HTMLDialogElement>("licences-part");
  byId("show-licences").addEventListener("click", async () => {
    await wholePage;
    byId("licences-text").textContent = await new Response(unzipping(byId("licences").textContent!)).text();
    licences.showModal();
  });
  byId("hide-licences").addEventListener("click", () => licences.close());

  const shared = await fromFragment(location.hash);
  if (shared) examples.selectedIndex = -1;
  await (shared ? restore(shared) : openExample());
  if (!shared && isLink(location.hash)) say("error: this link is damaged, or of another version of the page; here is an example instead");
  const presets = await engine.ask<{presets: {name: string; summary: string}[]}>({ask: "presets"});
  for (const each of presets.json.ok ? presets.json.presets : []) {
    const value = "scoreboard:" + each.name, known = [...machine.options].find((option) => option.value === value);
    known ? known.title = each.summary : machine.append(element("option", {value, title: each.summary}, value));
  }
  performance.mark("ready");
  document.body.dataset.ready = "true";
}

void main();
