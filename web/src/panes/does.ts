// What it does: a picture with sliders for uniforms, or the outputs; and thread 0 step by step.
import type {Engine} from "../engine";
import type {About, Clock, Ran, Refusal, Register, Stop, Stream} from "../core/answers";
import type {Code} from "./code";
import {byId, element, hex} from "../dom";

const componentsOf: Record<string, number> = {float: 1, vec2: 2, vec3: 3, vec4: 4};

export class Does {
  private about: About | undefined;
  private running = false;
  private again = false;

  constructor(private readonly engine: Engine, private readonly code: Code, private readonly onChoose: (offset: number) => void,
              private readonly onClock: (clock: Clock) => void, private readonly onPlace: (address: number | null) => Promise<string[]>, private readonly onInputs: () => void) {
    byId("inputs").addEventListener("input", () => this.changed());
    byId("quad").addEventListener("change", () => void this.move("start"));
    for (const move of ["restart", "back", "step", "go"]) byId(move).addEventListener("click", () => void this.move(move));
  }

  get inputs() { return byId<HTMLTextAreaElement>("inputs").value; }
  set inputs(text: string) { byId<HTMLTextAreaElement>("inputs").value = text; }

  private get isCore() { return this.about?.machine.startsWith("scoreboard:") ?? false; }

  private changed() {
    if (this.isCore) return this.onInputs();
    this.sliders();
    void this.run();
    this.onInputs();
  }

  async show(about: About) {
    this.about = about;
    byId("inputs-title").textContent = this.isCore ? "Core (JSON; empty: the chosen one)" : about.firmware ? "Inputs (command stream)" : "Inputs (JSON)";
    byId("quad-part").hidden = this.isCore || (about.firmware ?? false);
    if (this.isCore) {
      byId("picture").hidden = true;
      byId("sliders").replaceChildren();
      byId("outcome").textContent = about.stage;
      return this.move("restart");
    }
    this.sliders();
    await this.run();
  }

  private document(): Record<string, any> | undefined {
    try {
      return JSON.parse(this.inputs || "{}");
    } catch {
      return undefined;
    }
  }

  private sliders() {
    const document = this.document();
    const rows: Node[] = [];
    for (const {name, type} of this.about?.uniforms ?? []) {
      const count = componentsOf[type];
      if (count === undefined || document === undefined) continue;
      const values: number[] = [document.uniforms?.[name] ?? 0].flat().concat(Array(count).fill(0)).slice(0, count);
      values.forEach((value, index) => {
        const shown = element("output", {}, value.toFixed(2));
        const slider = element("input", {
          type: "range", min: Math.min(-4, value), max: Math.max(4, value), step: 0.01, value,
          input: () => {
            values[index] = Number((slider as HTMLInputElement).value);
            shown.textContent = values[index].toFixed(2);
            const now = this.document() ?? {};
            now.uniforms = {...now.uniforms, [name]: count === 1 ? values[0] : values};
            this.inputs = JSON.stringify(now, null, 1);
            void this.run();
          },
        });
        rows.push(element("label", {}, count === 1 ? name : `${name}.${"xyzw"[index]}`, slider, shown));
      });
    }
    byId("sliders").replaceChildren(...rows);
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
      await this.runOnce();
    } while (this.again);
    this.running = false;
  }

  private async runOnce() {
    if (this.about?.firmware) return this.runFirmware();
    const document = this.document();
    const canvas = byId<HTMLCanvasElement>("picture"), says = byId("outcome");
    if (document === undefined) return void (says.textContent = "The inputs are not JSON.");
    const isPicture = this.about?.stage === "fragment" || document.corners !== undefined;
    const size = isPicture ? {width: canvas.width, height: canvas.height} : {};
    const {json, bytes} = await this.engine.ask<Ran>({ask: "run", inputs: this.inputs, ...size});
    canvas.hidden = !json.ok || !isPicture;
    if (!json.ok) return void (says.textContent = refusal(json));
    if (isPicture)
      canvas.getContext("2d")!.putImageData(new ImageData(new Uint8ClampedArray(bytes), json.width, json.height), 0, 0);
    const findings = json.diagnostics.slice(0, 5).map((each) => `${each.message} [${each.code}]`);
    says.textContent = [`${json.ended} threads ended, ${json.discarded} discarded, ${json.faulted} faulted`, ...findings, json.outputs?.slice(0, 4000) ?? ""].join("\n");
  }

  private async runFirmware() {
    byId("picture").hidden = true;
    const {json} = await this.engine.ask<Stream>({ask: "stream", inputs: this.inputs});
    byId("outcome").textContent = json.ok ? [...json.diagnostics.map((each) => `${each.message} [${each.code}]`), ...json.cores].join("\n") : refusal(json);
  }

  private async move(move: string) {
    const breakpoints = [...this.code.breakpoints];
    if (this.isCore) return this.moveClock(move, breakpoints);
    const isFirst = byId("registers").childElementCount === 0;
    const {json} = await this.engine.ask<Stop>({
      ask: this.about?.firmware ? "firmware_debug" : "debug", move: isFirst && move === "restart" ? "start" : move, inputs: this.inputs, breakpoints,
      quad: byId<HTMLInputElement>("quad").checked,
    });
    if (!json.ok) return void (byId("place").textContent = refusal(json));
    const others = (json.places ?? []).slice(1).map((each, index) => `; thread ${index + 1}: ${each === null ? "stopped" : hex(each)}`).join("");
    byId("place").textContent = (json.address === null ? "it has stopped" : `next: ${hex(json.address)}`) + (json.where ? ` (${json.where})` : "") +
      `, ${json.executed} words executed` + others + json.faults.map((each) => "; " + each).join("");
    this.registers(json.registers);
    this.code.at(json.address);
    if (json.address !== null) this.onChoose(json.address);
    const flying = this.about?.firmware ? [] : await this.onPlace(json.address);
    byId("waits").replaceChildren(...[...json.events ?? [], ...flying].map((each) => element("li", {}, each)));
  }

  private async moveClock(move: string, breakpoints: number[]) {
    const {json} = await this.engine.ask<Clock>({ask: "clock", move, breakpoints});
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
    byId("registers").replaceChildren(...rows.map((each) => element(
      "tr", {class: each.changed ? "changed" : ""}, element("th", {scope: "row"}, each.name), element("td", {}, each.value),
      ...(each.others ?? []).map((other) => element("td", {}, other)), element("td", {}, each.changed ? "changed" : ""))));
  }

  forget() {
    byId("registers").replaceChildren();
    byId("waits").replaceChildren();
    byId("place").textContent = "before the first word";
    this.code.at(null);
  }
}

function refusal(answer: Refusal): string {
  return answer.text || answer.diagnostics.map((each) => each.message).join("\n");
}
