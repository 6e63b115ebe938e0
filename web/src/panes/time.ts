// Time: the estimate, and a row of cycles for each thread.
import type {Row, Timing} from "../core/answers";
import {byId, drawing, element, hex} from "../dom";

const shownParts = 3000, rowHeight = 22, left = 24;

export class Time {
  private parts = new Map<number, Element[]>();
  private timing: Timing | undefined;
  private byWord = false;
  constructor(private readonly onChoose: (offset: number) => void) {
    byId("zoom").addEventListener("input", () => this.draw());
  }

  /** `byWord`: a row for each word, which runs once: the scoreboard's operations. */
  show(timing: Timing | undefined, problem = "", byWord = false) {
    this.timing = timing;
    this.byWord = byWord;
    byId("report").textContent = timing?.report ?? problem;
    this.draw();
  }

  private draw() {
    this.parts.clear();
    const line = byId("timeline");
    const timeline = this.timing?.timeline;
    if (!timeline) return line.replaceChildren(element("p", {class: "quiet"}, "No timeline: nothing is executed."));
    const scale = Number(byId<HTMLInputElement>("zoom").value);
    const lineOf = (row: Row) => this.byWord ? row.word : row.thread;
    const threads = Math.max(...timeline.rows.map(lineOf)) + 1;
    const wide = left + timeline.cycles * scale + 1, high = threads * rowHeight + 16;
    const svg = drawing("svg", {width: wide, height: high, role: "img", "aria-label": `${timeline.cycles} cycles of ${threads} ${this.byWord ? "operations" : "threads"}; the report says the same in words`});
    for (let thread = 0; thread < threads; ++thread)
      svg.append(drawing("text", {x: 2, y: thread * rowHeight + 15, class: "axis"}, String(thread)));
    for (let cycle = 0; cycle <= timeline.cycles; cycle += Math.max(5, Math.ceil(40 / scale / 5) * 5))
      svg.append(drawing("text", {x: left + cycle * scale, y: high - 3, class: "axis"}, String(cycle)));
    let drawn = 0;
    for (const row of timeline.rows)
      for (const part of row.parts) {
        if (++drawn > shownParts) break;
        const from = part.from, to = part.to ?? row.end;
        const says = `${this.byWord ? `operation ${row.word}` : `${hex(row.word)}, thread ${row.thread}`}, cycles ${from}–${to}: ${part.waits ? `waits (${part.what.replaceAll("_", " ")}): ${part.sentence}` : "executes in " + part.what}`;
        const box = drawing("rect", {
          x: left + from * scale, y: lineOf(row) * rowHeight + (part.waits ? 8 : 2), width: Math.max((to - from) * scale - 0.5, 1),
          height: part.waits ? 6 : rowHeight - 4, class: part.waits ? "wait" : "work unit" + unitNumber(part.what),
          mouseenter: () => { byId("sentence").textContent = says; this.onChoose(row.word); },
        }, drawing("title", {}, says));
        svg.append(box);
        this.parts.set(row.word, [...this.parts.get(row.word) ?? [], box]);
      }
    line.replaceChildren(svg);
    if (drawn > shownParts) line.append(element("p", {class: "quiet"}, `The first ${shownParts} pieces are drawn.`));
  }

  choose(offset: number) {
    for (const [word, boxes] of this.parts) for (const box of boxes) box.classList.toggle("chosen", word === offset);
  }
}

function unitNumber(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  return sum % 6;
}
