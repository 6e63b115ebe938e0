// The machine code: words, and of the chosen one its bits, fields and picture.
import type {Engine} from "../engine";
import type {Field, Word} from "../core/answers";
import {explained} from "../core/questions";
import {sectionOf} from "../core/reference";
import {byId, element, hex} from "../dom";

export class Code {
  readonly breakpoints = new Set<number>();
  private rows = new Map<number, HTMLElement>();
  private lines = new Map<number, number>();
  private reached: HTMLElement | undefined;
  private asked = 0;
  private areBits = true;
  private machine = "";

  constructor(private readonly engine: Engine, private readonly onChoose: (offset: number) => void) {
    byId("words").addEventListener("keydown", (event) => this.walk(event));
  }

  /** One word is reached by Tab, the chosen one; arrows go to the others. */
  private walk(event: KeyboardEvent) {
    const row = (event.target as Element).closest("li");
    if (!row) return;
    const rows = [...this.rows.values()], at = rows.indexOf(row);
    const to = {ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = rows[Math.min(Math.max(to, 0), rows.length - 1)];
    this.onChoose([...this.rows.keys()][rows.indexOf(next)]);
    next.querySelector<HTMLElement>((event.target as Element).matches(".stop") ? ".stop" : ".pick")!.focus();
  }

  /** Operations of a workload have no bits, and their number for an offset. */
  setWords(words: Word[], areBits: boolean, machine: string) {
    this.machine = machine;
    this.areBits = areBits;
    byId("bits-part").hidden = !areBits;
    const name = (offset: number) => areBits ? hex(offset) : String(offset);
    this.rows.clear();
    this.lines = new Map(words.map((each) => [each.offset, each.line]));
    for (const each of this.breakpoints) if (!words.some((word) => word.offset === each)) this.breakpoints.delete(each);
    byId("words").replaceChildren(...words.map((word) => {
      const stop: HTMLButtonElement = element("button", {
        class: "stop", tabindex: -1, "aria-label": "Breakpoint at " + name(word.offset), "aria-pressed": String(this.breakpoints.has(word.offset)),
        click: () => {
          if (!this.breakpoints.delete(word.offset)) this.breakpoints.add(word.offset);
          stop.setAttribute("aria-pressed", String(this.breakpoints.has(word.offset)));
        },
      });
      const pick = element("button", {class: "pick", tabindex: -1, click: () => this.onChoose(word.offset), mouseenter: () => this.onChoose(word.offset)},
                           element("span", {class: "offset"}, name(word.offset)), element("span", {}, word.text),
                           element("code", {}, word.bytes.replace(/(.{8})(?=.)/g, "$1 ")));
      const row = element("li", {}, stop, pick);
      this.rows.set(word.offset, row);
      return row;
    }));
  }

  async choose(offset: number) {
    const line = this.lines.get(offset) ?? 0;
    for (const [each, row] of this.rows) {
      row.classList.toggle("chosen", each === offset);
      row.classList.toggle("same-line", line !== 0 && this.lines.get(each) === line);
    }
    const reach = (tabIndex: number) => { for (const button of this.reached?.querySelectorAll("button") ?? []) button.tabIndex = tabIndex; };
    reach(-1);
    this.reached = this.rows.get(offset);
    reach(0);
    if (this.reached) this.reveal(this.reached);
    if (!this.areBits) return;
    const number = ++this.asked;
    const {json} = await this.engine.ask<{fields: Field[]; svg: string}>(explained(offset));
    if (!json.ok || number !== this.asked) return;
    byId<HTMLImageElement>("bits").src = "data:image/svg+xml," + encodeURIComponent(json.svg);
    byId("fields").replaceChildren(...json.fields.map((field) => element(
      "tr", {title: sectionOf(field.source, this.machine)},
      element("td", {}, field.width > 1 ? `${field.low}–${field.low + field.width - 1}` : String(field.low)),
      element("td", {}, field.name), element("td", {}, field.value), element("td", {}, field.meaning),
      element("td", {class: "status " + field.status}, field.status))));
  }

  /** In the list alone: the page stays where it is. */
  private reveal(row: HTMLElement) {
    const list = byId("words"), seen = list.getBoundingClientRect(), box = row.getBoundingClientRect();
    if (box.top < seen.top) list.scrollTop -= seen.top - box.top;
    else if (box.bottom > seen.bottom) list.scrollTop += box.bottom - seen.bottom;
  }

  at(offset: number | null) {
    for (const [each, row] of this.rows) row.classList.toggle("next", each === offset);
  }
}
