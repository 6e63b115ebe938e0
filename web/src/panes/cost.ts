// What each line of a shader costs: a row a line, linked to its words.
import type {Costs, Word} from "../core/answers";
import {byId, element} from "../dom";

export class Cost {
  private rows = new Map<number, HTMLElement>();
  private words: Word[] = [];

  constructor(private readonly onChoose: (offset: number) => void) {}

  show(costs: Costs | undefined, words: Word[], source: string) {
    this.words = words;
    this.rows.clear();
    byId("cost-part").hidden = costs === undefined;
    if (costs === undefined) return byId("costs").replaceChildren();
    const text = source.split("\n"), pipes = costs.lines[0]?.pipes.map((each) => each.name) ?? [];
    const head = ["line", "words", "instructions", ...pipes, "source"].map((each) => element("th", {scope: "col"}, each));
    byId("costs").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...costs.lines.map((each) => {
      const first = words.find((word) => word.line === each.line), name = each.line === 0 ? "-" : String(each.line);
      const row = element("tr", {}, element("th", {scope: "row"}, first ? element("button", {click: () => this.onChoose(first.offset), mouseenter: () => this.onChoose(first.offset)}, name) : name),
        ...[each.words, each.instructions, ...each.pipes.map((pipe) => pipe.words)].map((number) => element("td", {}, String(number))),
        element("td", {class: "source-line"}, each.line === 0 ? "" : (text[each.line - 1] ?? "").trim()));
      this.rows.set(each.line, row);
      return row;
    })));
  }

  choose(offset: number) {
    const line = this.words.find((each) => each.offset === offset)?.line ?? 0;
    for (const [each, row] of this.rows) row.classList.toggle("chosen", each === line);
  }
}
