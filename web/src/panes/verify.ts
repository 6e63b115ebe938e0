// Whether the machine code of a shader computes what its source says, as the command asks before it writes code.
import type {Laboratory} from "../engine";
import type {State} from "../core/state";
import {byId, counted} from "../dom";

export class Verifying {
  private turn = 0;

  constructor(private readonly engine: Laboratory) {
    byId("verify-stop").addEventListener("click", () => this.engine.stopVerifying());
  }

  async start(shader: State) {
    const mine = ++this.turn;
    const bar = byId<HTMLProgressElement>("verify-progress");
    bar.value = 0;
    byId("verify-part").hidden = byId("verify-busy").hidden = false;
    this.say("Executed beside its source:", false);
    const {json} = await this.engine.verify({machine: shader.machine, file: shader.file, text: shader.text}, (part) => { bar.value = part; });
    if (mine !== this.turn) return;
    byId("verify-busy").hidden = true;
    if (!json.ok) return this.say(json.diagnostics.map((each) => each.code ? `${each.message}; ${each.hint} [${each.code}]` : `Not verified. ${each.message}`).join("\n"), json.diagnostics.some((each) => each.code !== ""));
    if (json.diagnostics.length !== 0) return this.say(json.diagnostics.map((each) => `${each.severity}: ${each.message} [${each.code}]`).join("\n"), true);
    const open = json.open === 0 ? "" : `; GLSL leaves ${json.open} more open`;
    if (json.compared === 0) return this.say(`Executed beside its source: in ${counted(json.runs, "run")} there was nothing to compare, so nothing is verified${open}.`, false);
    this.say(`Executed beside its source: ${counted(json.runs, "run")}, ${counted(json.compared, "number")} compared, none differs${open}.`, false);
  }

  /** There is another shader, or none. */
  stop() {
    ++this.turn;
    this.engine.stopVerifying();
    byId("verify-part").hidden = true;
  }

  private say(text: string, isWrong: boolean) {
    byId("verified").textContent = text;
    byId("verify-part").classList.toggle("wrong", isWrong);
  }
}
