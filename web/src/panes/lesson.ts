// A lesson: something to change, which the library checks, and a question. Lessons are data: web/lessons.
import type {Engine} from "../engine";
import {byId, element} from "../dom";

/** A question to the library; what it answers is held to the conditions. */
export interface Check {
  request: Record<string, unknown>;
  path: string;
  /** Of a text, the piece that this expression finds. */
  take?: string;
  /** One of these. `same` and `less` compare with the answer for the lesson's own program. */
  is: {equals?: unknown; matches?: string; same?: true; less?: true};
  /** What is said when this one does not hold, if not the lesson's. */
  hint?: string;
}
export interface Lesson {
  title: string;
  machine: string;
  file: string;
  text: string;
  inputs: string;
  view?: string;
  threads?: number;
  explains: string[];
  task: string;
  checks: Check[];
  hint: string;
  question: {text: string; choices: string[]; answer: number; because: string};
}

/** "words.length", "diagnostics.0.code" */
export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((from, name) => (from as Record<string, unknown> | undefined)?.[name], value);
}
function holds(is: Check["is"], found: unknown, before: unknown): boolean {
  if ("equals" in is) return JSON.stringify(found) === JSON.stringify(is.equals);
  if (is.matches !== undefined) return new RegExp(is.matches).test(String(found));
  if (is.same) return JSON.stringify(found) === JSON.stringify(before);
  return Number(found) < Number(before);
}

export class Lessons {
  private lesson: Lesson | undefined;
  private before: unknown[] = [];
  private isFirst = false;

  constructor(private readonly engine: Engine, private readonly given: () => {inputs: string; threads: number}) {}

  begin(lesson: Lesson | undefined) {
    this.lesson = lesson;
    this.isFirst = true;
    byId("lesson").hidden = lesson === undefined;
    byId("lesson-question").hidden = true;
    if (!lesson) return;
    byId("h-lesson").textContent = "Lesson: " + lesson.title;
    byId("lesson-text").replaceChildren(...lesson.explains.map((each) => element("p", {}, each)), element("p", {}, element("b", {}, "Change it: "), lesson.task));
    this.say("Not yet.", false);
  }

  /** The program has been assembled, or its inputs have changed. */
  async check() {
    const lesson = this.lesson;
    if (!lesson) return;
    const found: unknown[] = [];
    let problem = "";
    for (const check of lesson.checks) {
      const {json} = await this.engine.ask<object>({ask: "", ...this.given(), ...check.request});
      if (!json.ok && json.isSuperseded) return;
      if (!json.ok) problem ||= json.text || json.diagnostics.map((each) => each.message).join("; ");
      const value = json.ok ? at(json, check.path) : undefined;
      found.push(check.take === undefined ? value : new RegExp(check.take).exec(String(value))?.[0]);
    }
    if (this.lesson !== lesson) return;
    if (this.isFirst) {
      this.before = found;
      this.isFirst = false;
      return;
    }
    const missed = lesson.checks.find((check, index) => found[index] === undefined || !holds(check.is, found[index], this.before[index])), done = missed === undefined;
    this.say(done ? "Done." : "Not yet. " + (problem || missed.hint || lesson.hint), done);
    if (done && byId("lesson-question").hidden) this.ask(lesson);
  }

  private say(text: string, done: boolean) {
    byId("lesson-state").textContent = text;
    byId("lesson-state").dataset.done = String(done);
  }

  private ask(lesson: Lesson) {
    const {text, choices, answer, because} = lesson.question;
    const says = element("p", {role: "status", id: "lesson-answer"});
    byId("lesson-question").replaceChildren(element("legend", {}, text), ...choices.map((choice, index) => element("label", {}, element("input", {
      type: "radio", name: "lesson-choice", value: index,
      change: () => { says.textContent = index === answer ? "Right. " + because : "No. Try another one."; },
    }), " " + choice)), says);
    byId("lesson-question").hidden = false;
  }
}
