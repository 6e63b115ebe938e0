// What it does: a picture with sliders for uniforms, or the outputs; and thread 0 step by step.
import type {Engine} from "../engine";
import type {About, Clock, Ran, Refusal, Register, Stop, Stream} from "../core/answers";
import type {Code} from "./code";
import {byId, counted, element, hex} from "../dom";
import {fitting} from "./inputs";
import {Uniforms} from "./uniforms";

export const isPicture = (file: string) => /\.png$/i.test(file);
export const isMesh = (file: string) => /\.obj$/i.test(file);

export class Does {
  /** What the program is that is there. */
  about: About | undefined;
  private running = false;
  private again = false;
  private readonly uniforms = new Uniforms(byId("sliders"), (kind, name, value) => this.give(kind, name, value));

  constructor(private readonly engine: Engine, private readonly code: Code, private readonly onChoose: (offset: number) => void,
              private readonly onClock: (clock: Clock) => void, private readonly onPlace: (address: number | null) => Promise<string[]>, private readonly onInputs: (isNewText: boolean) => void,
              private readonly given: () => {text: string; files: Map<string, Uint8Array>; isCompiled: boolean}) {
    byId("inputs").addEventListener("input", () => this.changed());
    byId("quad").addEventListener("change", () => void this.move("start"));
    for (const move of ["restart", "back", "step", "go"]) byId(move).addEventListener("click", () => void this.move(move));
  }

  get inputs() { return byId<HTMLTextAreaElement>("inputs").value; }
  set inputs(text: string) { byId<HTMLTextAreaElement>("inputs").value = text; }

  private get isCore() { return this.about?.machine.startsWith("scoreboard:") ?? false; }

  private changed() {
    if (this.isCore) return this.onInputs(true);
    this.sliders();
    void this.run();
    this.onInputs(true);
  }

  async show(about: About) {
    byId("inputs-title").textContent = this.isCore ? "Core (JSON; empty: the chosen one)" : about.firmware ? "Inputs (command stream)" : "Inputs (JSON)";
    byId("quad-part").hidden = this.isCore || (about.firmware ?? false);
    if (this.isCore) {
      byId("picture").hidden = true;
      byId("sliders").replaceChildren();
      byId("outcome").textContent = about.stage;
      return this.move("restart");
    }
    if (this.inputs.trim() === "" && about.stage === "fragment") this.spread(about);
    this.sliders();
    await this.run();
  }

  /** What a fragment shader reads and nobody has given goes from 0 to 1 over the picture. */
  private spread({inputs}: About) {
    const corners: Record<string, number[][]> = {};
    for (const {name, type} of inputs) {
      const size = {float: 1, vec2: 2, vec3: 3, vec4: 4}[type];
      if (size === undefined || name.startsWith("gl_")) continue;
      corners[name] = [[0, 0, 0, 1], [1, 0, 0, 1], [0, 1, 0, 1], [1, 1, 0, 1]].map((each) => each.slice(0, size));
    }
    if (Object.keys(corners).length !== 0) this.inputs = JSON.stringify({corners}, null, 1);
  }

  private document(): Record<string, any> | undefined {
    try {
      return JSON.parse(this.inputs || "{}");
    } catch {
      return undefined;
    }
  }

  private sliders() {
    this.uniforms.show(this.about?.firmware || this.isCore ? [] : this.about?.uniforms ?? [], this.document() ?? {}, this.given().text, [...this.given().files.keys()].filter(isPicture));
  }

  /** Into the inputs as they stand there. */
  private give(kind: "uniforms" | "textures", name: string, value: unknown) {
    const now = this.document() ?? {};
    now[kind] = {...now[kind], [name]: value};
    this.inputs = JSON.stringify(now, null, 1);
    this.onInputs(false);
    void this.run();
  }

  /** What a file that came later is for: vertices of a vertex shader, or the texture of a sampler; of the first that has none. */
  take(file: string) {
    if (!this.about) return;
    if (isMesh(file)) {
      const {attributes, indices, threads, ...rest} = this.document() ?? {};
      this.inputs = JSON.stringify({...rest, mesh: file}, null, 1);
    } else if (isPicture(file)) {
      const samplers = this.about.uniforms.filter(({type}) => /sampler/.test(type)).map(({name}) => name);
      const textures = this.document()?.textures ?? {};
      const name = samplers.find((each) => textures[each] === undefined) ?? samplers[0] ?? (this.about.uniforms.length === 0 ? "0" : undefined);
      if (name !== undefined) this.inputs = JSON.stringify({...this.document(), textures: {...textures, [name]: {file}}}, null, 1);
    }
  }

  /** One run at a time; what changes meanwhile makes another one. */
  private async run() {
    if (this.running) {
      this.again = true;
      return;
    }
    this.running = true;
    do {
      this.again = false;
      if (await this.runOnce() === "superseded") break;
    } while (this.again);
    this.running = false;
  }

  /** What the program can be given: of a shader that was edited, inputs whose names are gone are left out. */
  get fitting() {
    const document = this.document();
    return !document || !this.about || !this.given().isCompiled ? {text: this.inputs, left: []} : fitting(this.inputs, document, this.about);
  }

  private async runOnce(): Promise<"superseded" | void> {
    if (!this.about) return;
    if (this.about.firmware) return this.runFirmware();
    const document = this.document();
    const canvas = byId<HTMLCanvasElement>("picture"), says = byId("outcome");
    if (document === undefined) return void (says.textContent = "The inputs are not JSON.");
    const isDrawn = this.about.stage === "fragment" || document.corners !== undefined || document.mesh !== undefined || document.indices !== undefined;
    const size = isDrawn ? {width: canvas.width, height: canvas.height} : {};
    const {text: inputs, left} = this.fitting;
    const {json, bytes} = await this.engine.ask<Ran>({ask: "run", inputs, ...size});
    if (!json.ok && json.isSuperseded) return "superseded";
    canvas.hidden = !json.ok || !isDrawn;
    if (!json.ok) return void (says.textContent = refusal(json));
    if (isDrawn)
      canvas.getContext("2d")!.putImageData(new ImageData(new Uint8ClampedArray(bytes), json.width, json.height), 0, 0);
    const findings = json.diagnostics.slice(0, 5).map((each) => `${each.message} [${each.code}]`);
    if (left.length !== 0) findings.unshift(`left out, as the shader has no such name: ${left.join(", ")}`);
    says.textContent = [outcomeOf(json), ...findings, json.outputs?.slice(0, 4000) ?? ""].join("\n");
  }

  private async runFirmware(): Promise<"superseded" | void> {
    byId("picture").hidden = true;
    const {json} = await this.engine.ask<Stream>({ask: "stream", inputs: this.inputs});
    if (!json.ok && json.isSuperseded) return "superseded";
    byId("outcome").textContent = json.ok ? [...json.diagnostics.map((each) => `${each.message} [${each.code}]`), ...json.cores].join("\n") : refusal(json);
  }

  private async move(move: string) {
    const breakpoints = [...this.code.breakpoints];
    if (this.isCore) return this.moveClock(move, breakpoints);
    const quad = byId<HTMLInputElement>("quad").checked;
    const isFirst = byId("registers").childElementCount === 0;
    const {json} = await this.engine.ask<Stop>({
      ask: this.about?.firmware ? "firmware_debug" : "debug", move: isFirst && move === "restart" ? "start" : move, inputs: this.fitting.text, breakpoints,
      quad,
    });
    if (!json.ok && json.isSuperseded) return;
    if (!json.ok) return void (byId("place").textContent = refusal(json));
    const others = (quad ? json.places ?? [] : []).slice(1).map((each, index) => `; thread ${index + 1}: ${each === null ? "stopped" : hex(each)}`).join("");
    byId("place").textContent = (json.address === null ? "it has stopped" : `next: ${hex(json.address)}`) + (json.where ? ` (${json.where})` : "") +
      `, ${executedOf(json)} executed` + others + json.faults.map((each) => "; " + each).join("");
    this.registers(quad ? json.registers : json.registers.map(({others, ...each}) => each));
    this.code.at(json.address);
    if (json.address !== null) this.onChoose(json.address);
    const flying = this.about?.firmware ? [] : await this.onPlace(json.address);
    byId("waits").replaceChildren(...[...json.events ?? [], ...flying].map((each) => element("li", {}, each)));
  }

  private async moveClock(move: string, breakpoints: number[]) {
    const {json} = await this.engine.ask<Clock>({ask: "clock", move, breakpoints});
    if (!json.ok && json.isSuperseded) return;
    if (!json.ok) return void (byId("place").textContent = refusal(json));
    byId("place").textContent = json.clock === 0 ? "before the first clock" : `after clock ${json.clock}${json.finished ? ": finished" : ""}`;
    byId("waits").replaceChildren(
      ...json.happened.map((each) => element("li", {class: "happened"}, each.text)),
      ...json.waits.map((each) => element("li", {class: "waiting"}, each)));
    this.registers(json.registers);
    this.code.at(json.next);
    this.onClock(json);
  }

  private registers(rows: Register[]) {
    byId("registers-part").hidden = rows.length === 0;
    byId("registers").replaceChildren(...rows.map((each) => element(
      "tr", {class: each.changed ? "changed" : ""}, element("th", {scope: "row"}, each.name), element("td", {}, each.value),
      ...(each.others ?? []).map((other) => element("td", {}, other)), element("td", {}, each.changed ? "changed" : ""))));
  }

  /** Another program comes: nothing of the one before stands beside it. The picture keeps its place. */
  begin() {
    this.about = undefined;
    this.sliders();
    this.forget();
    const canvas = byId<HTMLCanvasElement>("picture");
    canvas.getContext("2d")!.clearRect(0, 0, canvas.width, canvas.height);
    byId("outcome").textContent = "";
  }
  /** There is no program. */
  clear() {
    this.begin();
    byId("picture").hidden = true;
  }

  forget() {
    this.registers([]);
    byId("waits").replaceChildren();
    byId("place").textContent = "before the first word";
    this.code.at(null);
  }
}

const outcomeOf = ({ended, discarded, faulted}: Ran) =>
  `${counted(ended, "thread")} ended, ${discarded} discarded, ${counted(faulted, "fault")}`;

/** The outcome of firmware counts the instructions of its boot, too. */
const executedOf = ({executed, since_start}: Stop) =>
  since_start === undefined ? counted(executed, "word") : `${counted(executed, "instruction")} of the stream, ${since_start} with those of the boot,`;

function refusal(answer: Refusal): string {
  return answer.text || answer.diagnostics.map((each) => each.message).join("\n");
}
