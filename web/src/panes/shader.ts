// The lines of the shader that a program was compiled from, linked to its words by the side file.
import type {Word} from "../core/answers";
import {byId, element} from "../dom";

export class Shader {
  private rows: HTMLElement[] = [];
  private lines: [number, number][] = [];  // byte offset, line

  constructor(private readonly onChoose: (offset: number) => void) {}

  show(text: string, side: string, words: Word[]) {
    this.lines = linesOf(side);
    byId("shader-part").hidden = text === "" || this.lines.length === 0;
    this.rows = text.split("\n").map((line, index) => {
      const first = words.find((word) => this.lineOf(word.offset) === index + 1);
      return element("li", {}, first ? element("button", {click: () => this.onChoose(first.offset)}, line) : line);
    });
    byId("shader").replaceChildren(...this.rows);
  }

  choose(offset: number) {
    const line = this.lineOf(offset);
    this.rows.forEach((row, index) => row.classList.toggle("chosen", index + 1 === line));
  }

  private lineOf(offset: number) { return this.lines.findLast(([from]) => from <= offset)?.[1]; }
}

export function linesOf(side: string): [number, number][] {
  try {
    const lines = JSON.parse(side || "{}").lines;
    return Array.isArray(lines) ? lines.filter((each) => Array.isArray(each) && each.every(Number.isInteger)) : [];
  } catch {
    return [];
  }
}
