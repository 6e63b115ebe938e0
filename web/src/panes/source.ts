// The source, assembly or a shader: an editor with diagnostics, the manual on hover, and the line of the chosen word.
import {autocompletion, type CompletionContext} from "@codemirror/autocomplete";
import {setDiagnostics, type Diagnostic as Mark} from "@codemirror/lint";
import {EditorState, StateEffect, StateField, type Text, type TransactionSpec} from "@codemirror/state";
import {Decoration, EditorView, hoverTooltip, keymap, showTooltip, type DecorationSet, type Tooltip} from "@codemirror/view";
import {basicSetup} from "codemirror";
import type {Diagnostic, ManualEntry, Word} from "../core/answers";
import {forPage} from "../core/messages";
import {sectionOf} from "../core/reference";
import {element} from "../dom";

declare const STYLE_NONCE: string;

const mark = StateEffect.define<number>();
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, change) {
    set = set.map(change.changes);
    for (const effect of change.effects)
      if (effect.is(mark))
        set = effect.value < 1 || effect.value > change.state.doc.lines
          ? Decoration.none
          : Decoration.set(Decoration.line({class: "chosen-line"}).range(change.state.doc.line(effect.value).from));
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The manual on what the cursor is at, by F1; it goes when the cursor does. */
const helped = StateEffect.define<Tooltip | null>();
const helpField = StateField.define<Tooltip | null>({
  create: () => null,
  update(now, change) {
    const found = change.effects.find((each) => each.is(helped));
    return found ? found.value : change.docChanged || change.selection ? null : now;
  },
  provide: (field) => showTooltip.from(field),
});

export class Source {
  /** Before there is a view, which takes longer to make than all else that is seen first: what it will show. */
  private state: EditorState;
  private view: EditorView | undefined;
  private manual = new Map<string, ManualEntry>();
  private words: Word[] = [];
  private machine = "";
  private isShader = false;

  constructor(parent: HTMLElement, onChange: () => void, onChoose: (offset: number) => void) {
    const helpAt = (view: EditorView, at: number): Tooltip | null => {
      const line = view.state.doc.lineAt(at);
      for (const found of line.text.matchAll(/[\w.]+/g)) {
        const from = line.from + found.index, to = from + found[0].length;
        if (at < from || at > to) continue;
        const entry = found[0].split(".").map((part) => this.manual.get(part.toLowerCase())).find((each) => each);
        if (!entry) return null;
        return {
          pos: from,
          end: to,
          create: () => ({
            dom: element("div", {class: "tip"}, element("b", {}, entry.name), " " + entry.title, element("p", {}, entry.body),
                         element("small", {}, [entry.status, sectionOf(entry.source, this.machine)].filter((each) => each !== "").join(": "))),
          }),
        };
      }
      return null;
    };
    const help = hoverTooltip(helpAt);
    const complete = (context: CompletionContext) => {
      const word = context.matchBefore(/[\w.]+/);
      if (!word || (word.from === word.to && !context.explicit)) return null;
      const start = word.from + word.text.lastIndexOf(".") + 1;
      const options = [...this.manual.values()].map((each) => ({label: each.name, detail: each.title, info: each.body}));
      return {from: start, options};
    };
    this.state = EditorState.create({
      extensions: [
        keymap.of([{key: "F1", run: (view) => {
          view.dispatch({effects: helped.of(helpAt(view, view.state.selection.main.head))});
          return true;
        }}]),
        // A line that is shown because its word was chosen moves the text, not the page.
        EditorView.scrollHandler.of((view, {head}) => {
          if (view.hasFocus) return false;
          const {top, bottom} = view.lineBlockAt(head), box = view.scrollDOM;
          if (top < box.scrollTop) box.scrollTop = top;
          else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
          return true;
        }),
        basicSetup, marked, help, helpField, autocompletion({override: [complete]}), EditorView.cspNonce.of(STYLE_NONCE), EditorView.contentAttributes.of({"aria-label": "Source", tabindex: "0"}),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange();
          else if (update.selectionSet && update.view.hasFocus) this.chooseAt(update.state.selection.main.head, onChoose);
        }),
        EditorView.domEventHandlers({
          mousemove: (event, view) => {
            const at = view.posAtCoords({x: event.clientX, y: event.clientY});
            if (at !== null && event.buttons === 0) this.chooseAt(at, onChoose);
          },
        }),
      ],
    });
    requestAnimationFrame(() => setTimeout(() => { this.view = new EditorView({parent, state: this.state}); }));
  }

  private dispatch(change: TransactionSpec) {
    this.view ? this.view.dispatch(change) : this.state = this.state.update(change).state;
  }
  private get now() { return this.view?.state ?? this.state; }

  /** The word of this line; of a line without one, of assembly, that before it. */
  private chooseAt(position: number, onChoose: (offset: number) => void) {
    const line = this.now.doc.lineAt(position).number;
    const word = this.words.find((each) => each.line === line) ?? (this.isShader ? undefined : this.words.findLast((each) => each.line !== 0 && each.line <= line));
    if (word) onChoose(word.offset);
  }

  get text() { return this.now.doc.toString(); }
  set text(text: string) { this.dispatch({changes: {from: 0, to: this.now.doc.length, insert: text}}); }
  /** Which machine the text is for, by its directive: from, to, and what is there. */
  private get directive() {
    const found = /^[ \t]*\.(machine|gpu)[ \t]+([\w:.-]+)/m.exec(this.text.slice(0, 1 << 16));
    if (!found) return undefined;
    const to = found.index + found[0].length, [, kind, name] = found;
    return {from: to - name.length, to, name, prefix: kind === "gpu" ? "midgard:" : ""};
  }
  get machineNamed() { return this.directive && this.directive.prefix + this.directive.name; }
  /** An edit like others: where the text is for another variant of the same machine, it is for this one. */
  nameMachine(name: string) {
    const found = this.directive;
    if (!found || this.machineNamed === name || this.machineNamed!.split(":")[0] !== name.split(":")[0]) return;
    this.dispatch({changes: {from: found.from, to: found.to, insert: name.slice(found.prefix.length)}});
  }
  setManual(entries: ManualEntry[], machine: string) {
    this.manual = new Map(entries.map((each) => [each.name.toLowerCase(), {...each, body: forPage(each.body)}]));
    this.machine = machine;
  }
  setWords(words: Word[], isShader: boolean) {
    this.words = words;
    this.isShader = isShader;
  }

  choose(offset: number) {
    const line = this.words.find((each) => each.offset === offset)?.line ?? 0;
    const effects: StateEffect<unknown>[] = [mark.of(line)];
    if (line >= 1 && line <= this.now.doc.lines && !this.view?.hasFocus)
      effects.push(EditorView.scrollIntoView(this.now.doc.line(line).from, {y: "nearest"}));
    this.dispatch({effects});
  }

  show(diagnostics: Diagnostic[]) {
    const doc = this.now.doc;
    const marks = diagnostics.map((each) => this.markOf(doc, each)).filter((each) => each !== undefined);
    this.dispatch(setDiagnostics(this.now, marks));
  }

  private markOf(doc: Text, each: Diagnostic): Mark | undefined {
    const number = each.line || (this.words.find((word) => word.offset === each.offset)?.line ?? 0);
    if (number < 1 || number > doc.lines) return undefined;
    const line = doc.line(number);
    const from = Math.min(line.from + Math.max(each.column - 1, 0), line.to);
    const to = each.column === 0 ? line.to : Math.min(from + each.length, line.to);
    const message = `${each.message}${each.hint ? "\n" + each.hint : ""}${each.code ? ` [${each.code}]` : ""}`;
    return {from, to, severity: each.severity === "note" ? "info" : each.severity, message};
  }
}
