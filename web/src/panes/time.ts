// Time: the estimate, and a row of cycles for each thread.
import type {Row, Timed, Timing} from "../core/answers";
import {byId, counted, drawing, element, hex} from "../dom";

const shownParts = 3000, rowHeight = 22;

export class Time {
  private parts = new Map<number, Element[]>();
  private timing: Timing | undefined;
  private byWord = false;
  /** The pieces of each row, from left to right, and which of them was pointed at. */
  private pieces: {box: Element; from: number; point(): void}[][] = [];
  private pointed = {row: 0, piece: -1};
  constructor(private readonly onChoose: (offset: number) => void) {
    byId("zoom").addEventListener("input", () => this.draw());
    byId("timeline").addEventListener("keydown", (event) => this.walk(event));
  }

  /** Arrows go from piece to piece, and to what is in another row then; Home and End to the first and the last of a row. */
  private walk(event: KeyboardEvent) {
    const {row: here} = this.pointed, end = {Home: 0, End: (this.pieces[here]?.length ?? 1) - 1}[event.key];
    if (end !== undefined) {
      event.preventDefault();
      return this.point(here, end);
    }
    const along = {ArrowLeft: -1, ArrowRight: 1}[event.key], across = {ArrowUp: -1, ArrowDown: 1}[event.key];
    if (along === undefined && across === undefined) return;
    event.preventDefault();
    const {row, piece} = this.pointed;
    if (along !== undefined) return this.point(row, Math.max(piece + along, 0));
    const from = this.pieces[row]?.[piece]?.from ?? 0, next = row + across!;
    this.point(next, Math.max(this.pieces[next]?.findLastIndex((each) => each.from <= from) ?? 0, 0));
  }
  private point(row: number, piece: number) {
    const next = this.pieces[row]?.[piece];
    if (!next) return;
    this.pieces[this.pointed.row]?.[this.pointed.piece]?.box.classList.remove("pointed");
    this.pointed = {row, piece};
    next.box.classList.add("pointed");
    // Of a piece that is wider than what is seen, the start.
    const line = byId("timeline"), seen = line.clientWidth - parseFloat(getComputedStyle(line).scrollPaddingLeft);
    next.box.scrollIntoView({block: "nearest", inline: next.box.getBoundingClientRect().width > seen ? "start" : "nearest"});
    next.point();
  }

  /** `byWord`: a row for each word, which runs once: the scoreboard's operations. */
  show(timing: Timing | undefined, problem = "", byWord = false) {
    this.timing = timing;
    this.byWord = byWord;
    byId("report").textContent = timing?.report ?? problem;
    byId("paths").textContent = timing ? pathsOf(timing) : "";
    this.draw();
  }

  private draw() {
    this.parts.clear();
    this.pieces = [];
    this.pointed = {row: 0, piece: -1};
    const line = byId("timeline");
    const timeline = this.timing?.timeline;
    if (!timeline || timeline.rows.length === 0) return line.replaceChildren(element("p", {class: "quiet"}, "No timeline: nothing is executed."));
    const scale = Number(byId<HTMLInputElement>("zoom").value);
    const lineOf = (row: Row) => this.byWord ? row.word : row.thread;
    const threads = Math.max(...timeline.rows.map(lineOf)) + 1;
    const wide = timeline.cycles * scale + 1, high = threads * rowHeight + 16;
    const svg = drawing("svg", {width: wide, height: high, role: "img", "aria-label": `${counted(timeline.cycles, "cycle")} of ${counted(threads, this.byWord ? "operation" : "thread")}; the report says the same in words`});
    const numbers = drawing("svg", {width: 8 * String(threads - 1).length + 8, height: high, class: "numbers", "aria-hidden": "true"});
    for (let thread = 0; thread < threads; ++thread)
      numbers.append(drawing("text", {x: 2, y: thread * rowHeight + 15, class: "axis"}, String(thread)));
    for (let cycle = 0; cycle <= timeline.cycles; cycle += Math.max(5, Math.ceil(40 / scale / 5) * 5))
      svg.append(drawing("text", {x: cycle * scale, y: high - 3, class: "axis"}, String(cycle)));
    let drawn = 0;
    for (const row of timeline.rows)
      for (const part of row.parts) {
        if (++drawn > shownParts) break;
        const from = part.from, to = part.to ?? row.end;
        const says = `${this.byWord ? `operation ${row.word}` : `${hex(row.word)}, thread ${row.thread}`}, cycles ${from}–${to}: ${part.waits ? `waits (${part.what.replaceAll("_", " ")}): ${part.sentence}` : "executes in " + part.what}`;
        const point = () => { byId("sentence").textContent = says; this.onChoose(row.word); };
        const box = drawing("rect", {
          x: from * scale, y: lineOf(row) * rowHeight + (part.waits ? 8 : 2), width: Math.max((to - from) * scale - 0.5, 1),
          height: part.waits ? 6 : rowHeight - 4, class: part.waits ? "wait" : "work unit" + unitNumber(part.what),
          mouseenter: point,
        }, drawing("title", {}, says));
        svg.append(box);
        (this.pieces[lineOf(row)] ??= []).push({box, from, point});
        this.parts.set(row.word, [...this.parts.get(row.word) ?? [], box]);
      }
    for (const row of this.pieces) row?.sort((a, b) => a.from - b.from);
    line.replaceChildren(element("div", {class: "rows"}, numbers, svg));
    if (drawn > shownParts) line.append(element("p", {class: "quiet"}, `The first ${shownParts} pieces are drawn.`));
  }

  choose(offset: number) {
    for (const [word, boxes] of this.parts) for (const box of boxes) box.classList.toggle("chosen", word === offset);
  }
}

/** Whose paths these are. */
export function pathsOf({executed, diagnostics = []}: Timed): string {
  if (executed === undefined) return "";
  const problem = diagnostics.find((each) => each.severity === "error")?.message;
  if (!executed) return problem ? `The shortest path is assumed, as there is no run: ${problem}` : "Without inputs, the shortest path is assumed for all threads.";
  return "Paths are those of the run with these inputs" + (problem ? `, which ended early: ${problem}` : ".");
}

function unitNumber(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  return sum % 6;
}
