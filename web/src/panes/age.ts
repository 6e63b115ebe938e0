// Columns that still show the program before, because the text in the editor is wrong, not translated yet, or cancelled: it is said beside
// their names, which name them to screen readers, too.
import {byId} from "../dom";

export type Column = "code" | "time" | "does" | "views";
/** In milliseconds: who types does not see columns flicker. */
const blink = 500;

export class Age {
  private readonly old = new Set<Column>();
  private timer = 0;

  /** These wait for what is new. */
  begin(columns: Column[]) {
    for (const each of columns) this.old.add(each);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.show(), blink);
  }
  renew(column: Column) {
    this.old.delete(column);
    this.mark(column, false);
  }
  renewAll() {
    for (const each of this.old) this.renew(each);
  }
  /** Nothing new comes by itself. */
  show() {
    for (const each of this.old) this.mark(each, true);
  }
  isOld(column: Column) { return this.old.has(column); }

  private mark(column: Column, isOld: boolean) {
    const name = byId("h-" + column);
    name.closest("section")!.classList.toggle("old", isOld);
    name.querySelector(".was")!.toggleAttribute("hidden", !isOld);
  }
}
