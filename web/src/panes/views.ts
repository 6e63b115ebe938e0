// Views of the whole program, a tab each: pictures, control flow, what a stream did, the clock of the scoreboard, another program beside it.
import type {Engine} from "../engine";
import type {About, Clock, Compared, Flow, FlowBlock, PictureAt, Pictures, Stream} from "../core/answers";
import type {State} from "../core/state";
import {pathsOf} from "./time";
import {byId, counted, drawing, element, hex} from "../dom";

type Kind = "program" | "firmware" | "workload";
interface View { id: string; title: string; kinds: Kind[]; draw(): Promise<Node[]> }

export const pictureOf = (svg: string, alt: string) => element("img", {src: "data:image/svg+xml," + encodeURIComponent(svg), alt});

export class Views {
  private kind: Kind = "program";
  private current = "picture";
  private clock: Clock | undefined;
  private kept: State | undefined;
  private drawn = 0;
  /** Where the walk through the pictures is: a picture, and which of its rows. */
  private walk: {picture: number; row: number} | undefined;
  private walking = 0;
  private readonly all: View[] = [
    {id: "picture", title: "Picture", kinds: ["program", "firmware"], draw: () => this.pictures()},
    {id: "flow", title: "Control flow", kinds: ["program", "firmware"], draw: () => this.flow("")},
    {id: "stream", title: "Command stream", kinds: ["firmware"], draw: () => this.stream()},
    {id: "clock", title: "Matrices", kinds: ["workload"], draw: async () => this.matrices()},
    {id: "compare", title: "Compare", kinds: ["program", "firmware"], draw: () => this.compare()},
  ];

  constructor(private readonly engine: Engine, private readonly programNow: () => State, private readonly onChoose: (offset: number) => void) {
    byId("tabs").addEventListener("keydown", (event) => {
      const tabs = [...byId("tabs").querySelectorAll<HTMLElement>("[role=tab]")];
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step === 0) return;
      const next = tabs[(tabs.indexOf(document.activeElement as HTMLElement) + step + tabs.length) % tabs.length];
      next.click();
      byId("tabs").querySelector<HTMLElement>("[aria-selected=true]")?.focus();
    });
  }

  async show(about: About) {
    this.kind = about.machine.startsWith("scoreboard:") ? "workload" : about.firmware ? "firmware" : "program";
    this.clock = undefined;
    this.stand();
    const here = this.all.filter((each) => each.kinds.includes(this.kind));
    if (!here.some((each) => each.id === this.current)) this.current = here[0].id;
    await this.draw();
  }
  clear() {
    this.stand();
    byId("view").replaceChildren();
  }
  async showClock(clock: Clock) {
    this.clock = clock;
    if (this.current === "clock") await this.draw();
  }
  /**
   * The word that comes next, in the pictures: where they have a row or a picture for each word, the walk goes there. Values that arrive in
   * it, and those on their way past it, in sentences.
   */
  async follow(index: number | undefined, words: number): Promise<string[]> {
    const {json} = await this.engine.ask<Pictures>({ask: "pictures"});
    if (!json.ok || index === undefined) return [];
    const rows = json.pictures[0]?.rows ?? [];
    if (json.pictures.length === 1 && rows.length === words) this.walk = {picture: 0, row: index};
    else if (json.found === words && index < json.pictures.length) this.walk = {picture: index, row: 0};
    else return [];
    if (this.current === "picture") await this.draw();
    if (rows.length !== words || json.pictures.length !== 1) return [];
    const {json: at} = await this.engine.ask<PictureAt>({ask: "picture_at", picture: 0, row: rows[index]});
    if (!at.ok) return [];
    return [...at.arriving.map((each) => `arrives in the next word: ${each.from} for ${each.to}`),
            ...at.values.map((each) => `on its way past it: ${each.from} to ${each.to}`)];
  }
  async open(id: string) {
    this.stand();
    this.current = id;
    await this.draw();
  }

  private async draw() {
    byId("tabs").replaceChildren(...this.all.filter((each) => each.kinds.includes(this.kind)).map((each) => element(
      "button", {role: "tab", id: "tab-" + each.id, "aria-selected": String(each.id === this.current), "aria-controls": "view",
                 tabindex: each.id === this.current ? 0 : -1, click: () => void this.open(each.id)}, each.title)));
    const number = ++this.drawn;
    const nodes = await this.all.find((each) => each.id === this.current)!.draw();
    if (number === this.drawn) byId("view").replaceChildren(...nodes);
  }

  private async pictures(): Promise<Node[]> {
    const {json} = await this.engine.ask<Pictures>({ask: "pictures"});
    if (!json.ok) return [element("p", {}, json.text)];
    if (this.kind === "program" && json.pictures.length !== 0) return this.walked(json);
    return this.allPictures(json);
  }
  private allPictures(json: Pictures): Node[] {
    const rest = json.found - json.pictures.length;
    return [
      ...json.pictures.map((each) => pictureOf(each.svg, each.title)),
      ...(json.found === 0 ? [element("p", {class: "quiet"}, "This machine has no pictures of its own.")] : []),
      ...(rest > 0 ? [element("p", {class: "quiet"}, `${rest} more are not drawn.`)] : []),
    ];
  }

  /** Data goes down the rows of a picture: all of them, or one at a time, with what is on its way there. */
  private async walked(json: Pictures): Promise<Node[]> {
    const button = (id: string, title: string, act: () => void) => element("button", {id, click: () => {
      act();
      void this.draw().then(() => byId(id).focus());
    }}, title);
    const buttons = element("p", {class: "buttons"},
      button("walk-back", "Back", () => { this.pause(); this.go(json, -1); }),
      button("walk-on", "Data moves on", () => { this.pause(); this.go(json, 1); }),
      button("walk-play", this.walking ? "Pause" : "Play", () => this.walking ? this.pause() : this.play(json)),
      button("walk-all", "All at once", () => this.stand()));
    if (!this.walk) return [buttons, ...this.allPictures(json)];
    const {picture, row} = this.walk;
    const {json: at} = await this.engine.ask<PictureAt>({ask: "picture_at", picture, row: json.pictures[picture].rows[row]});
    if (!at.ok) return [buttons, element("p", {}, at.text)];
    const says = at.values.length === 0 ? "nothing is on its way" : "on its way: " + at.values.map((each) => `${each.from} to ${each.to}`).join("; ");
    return [buttons, element("p", {id: "walk-place", role: "status"}, `Picture ${picture + 1} of ${json.pictures.length}, row ${row + 1} of ${json.pictures[picture].rows.length}: ${says}`),
            pictureOf(at.svg, at.title)];
  }
  /** The next row, or the one before; behind the last of a picture is the first of the next. */
  private go(json: Pictures, step: 1 | -1): boolean {
    if (!this.walk) {
      this.walk = {picture: 0, row: 0};
      return true;
    }
    let {picture, row} = this.walk;
    row += step;
    if (row < 0 || row >= json.pictures[picture].rows.length) {
      picture += step;
      if (picture < 0 || picture >= json.pictures.length) return false;
      row = step > 0 ? 0 : json.pictures[picture].rows.length - 1;
    }
    this.walk = {picture, row};
    return true;
  }
  private play(json: Pictures) {
    this.walking = window.setInterval(() => {
      if (!this.go(json, 1)) this.pause();
      void this.draw();
    }, 900);
    this.go(json, 1);
  }
  private pause() {
    clearInterval(this.walking);
    this.walking = 0;
  }
  private stand() {
    this.pause();
    this.walk = undefined;
  }

  /** Blocks from top to bottom, and on their right an arc for each way that control may go. */
  private async flow(place: string): Promise<Node[]> {
    const {json} = await this.engine.ask<Flow>({ask: "flow", place});
    if (!json.ok) return [element("p", {}, json.text)];
    const one = place === "" && json.names.length > 1 ? json.graphs.slice(0, 1) : json.graphs;
    const nodes: Node[] = [];
    if (json.names.length > 1 || place !== "") {
      const names = place === "" ? json.names : [...byId("view").querySelectorAll("option")].map((each) => each.value);
      const select: HTMLSelectElement = element("select", {"aria-label": "Function or packet", change: async () => {
        byId("view").replaceChildren(...await this.flow(select.value));
      }}, ...names.map((name) => element("option", {value: name}, name)));
      select.value = place || one[0]?.name || "";
      nodes.push(element("p", {}, select));
    }
    for (const graph of one) nodes.push(this.drawnFlow(graph.blocks));
    return nodes;
  }
  private drawnFlow(blocks: FlowBlock[]): HTMLElement {
    const boxes = blocks.map((block) => element("div", {class: "block"},
      ...block.lines.map((line) => element("button", {class: line.slot ? "slot" : "", click: () => this.onChoose(line.address)}, `${hex(line.address)}  ${line.text}`)),
      ...(block.calls.length ? [element("div", {class: "quiet"}, "calls " + block.calls.join(", "))] : []),
      ...block.edges.filter((edge) => edge.block === null).map((edge) => element("div", {class: "quiet"}, `${edge.kind} ${edge.name}`))));
    const lines = drawing("svg", {"aria-hidden": "true"});
    const whole = element("div", {class: "flow", role: "group", "aria-label": "Control flow"}, ...boxes, lines);
    // Places are known once it is on the page.
    requestAnimationFrame(() => {
      let lane = 0;
      blocks.forEach((block, from) => block.edges.forEach((edge, index) => {
        if (edge.block === null) return;
        const start = boxes[from], end = boxes[edge.block];
        const y1 = start.offsetTop + start.offsetHeight - 6 - 14 * index, y2 = end.offsetTop + 8, x1 = start.offsetLeft + start.offsetWidth, x2 = end.offsetLeft + end.offsetWidth;
        const out = Math.max(x1, x2) + 12 + (lane++ % 12) * 9;
        lines.append(
          drawing("path", {class: "edge " + edge.kind, d: `M${x1} ${y1}H${out}V${y2}H${x2}l6 -4m-6 4l6 4`}),
          drawing("text", {class: "edge-name", x: x1 + 3, y: y1 - 3}, edge.kind));
      }));
    });
    return whole;
  }

  private async stream(): Promise<Node[]> {
    const inputs = this.programNow().inputs;
    if (inputs.trim() === "") return [element("p", {}, "Write a command stream under Inputs, such as: CP_NOP")];
    const {json} = await this.engine.ask<Stream>({ask: "stream", inputs});
    if (!json.ok) return [element("p", {}, json.text)];
    const rows: HTMLElement[] = [];
    for (const event of json.events) {
      if (event.kind === "packet" || rows.length === 0)
        rows.push(element("li", {}, event.level > 0 ? `${event.text} (indirect buffer ${event.level})` : event.text, element("ul")));
      if (event.kind !== "packet") rows.at(-1)!.querySelector("ul")!.append(element("li", {class: event.kind}, event.text));
    }
    return [
      ...json.diagnostics.map((each) => element("p", {}, `${each.severity}: ${each.message} [${each.code}]`)),
      element("ol", {class: "packets", "aria-label": "Packets, and what the firmware did for each"}, ...rows),
      ...json.cores.map((each) => element("p", {class: "quiet"}, each)),
    ];
  }

  private matrices(): Node[] {
    if (!this.clock || this.clock.svg === "") return [element("p", {}, "Step to the first clock: the matrices are those after a clock.")];
    return [pictureOf(this.clock.svg, "The matrices after this clock; the text below says the same"), element("pre", {}, this.clock.matrices)];
  }

  private async compare(): Promise<Node[]> {
    const timed = (title: string, report: string) => [element("h4", {}, title), element("pre", {tabindex: "0"}, report)];
    const keep = element("button", {id: "keep", click: () => { this.kept = this.programNow(); void this.draw(); }}, "Keep this program for comparison");
    if (!this.kept) return [element("p", {}, keep), element("p", {class: "quiet"}, "Then change it, choose another machine or version, or open another file: both stand here side by side.")];
    const {json} = await this.engine.ask<Compared>({ask: "compare", programs: [this.kept, this.programNow()]});
    if (!json.ok) return [element("p", {}, keep), element("p", {}, json.text)];
    const side = (index: number) => {
      const {machine, words, report, with_inputs} = json.sides[index];
      return element("div", {},
        element("h3", {}, `${index === 0 ? "Kept" : "Now"}: ${machine}, ${counted(words.length, "word")}`),
        element("ol", {}, ...(json.lines === null
          ? words.map((word) => element("li", {}, word.text))
          : json.lines.filter((line) => line.kind !== (index === 0 ? "added" : "removed")).map((line) => element("li", {class: line.kind}, line.text)))),
        ...timed("Time of the shortest path", report),
        ...(with_inputs?.executed ? timed("Time with its inputs", with_inputs.report) : []),
        ...(with_inputs ? [element("p", {class: "quiet"}, pathsOf(with_inputs))] : []));
    };
    return [element("p", {}, keep), element("div", {class: "beside", id: "beside"}, side(0), side(1))];
  }
}
