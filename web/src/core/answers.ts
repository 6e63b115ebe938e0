// The shapes of what the module answers: bindings/web/answers.cpp.
export interface Diagnostic {
  severity: "error" | "warning" | "note";
  code: string;
  line: number;
  column: number;
  length: number;
  offset?: number;
  message: string;
  hint: string;
}
export interface Word { offset: number; bytes: string; line: number; text: string }
/** `initial`: words that a uniform has where the inputs do not give it. */
export interface Variable { name: string; type: string; initial: number[] }
export interface About {
  machine: string;
  stage: string;
  firmware?: boolean;
  words: Word[];
  diagnostics: Diagnostic[];
  uniforms: Variable[];
  inputs: Variable[];
  text?: string;
  side?: string;
}
export interface Field {
  format: string;
  name: string;
  low: number;
  width: number;
  value: string;
  meaning: string;
  status: string;
  source: string;
}
export interface Part { from: number; to: number | null; what: string; waits: boolean; sentence: string }
export interface Row { thread: number; word: number; parts: Part[]; end: number }
/** `executed`: the paths are those of a run with the inputs; its diagnostics, or why there was none. Absent of workloads. */
export interface Timed { report: string; executed?: boolean; diagnostics?: Diagnostic[] }
export interface Timing extends Timed { timeline: {cycles: number; rows: Row[]} | null }
/** `others`: of the other threads of the quad. */
export interface Register { name: string; value: string; changed: boolean; others?: string[] }
export interface Stop {
  address: number | null;
  executed: number;
  /** Of firmware: with the instructions of its boot. */
  since_start?: number;
  registers: Register[];
  faults: string[];
  where?: string;
  events?: string[];
  places?: (number | null)[];
}
/** The scoreboard after a clock. */
export interface Clock {
  clock: number;
  finished: boolean;
  next: number | null;
  happened: {moment: string; operation: number; text: string}[];
  waits: string[];
  registers: Register[];
  svg: string;
  matrices: string;
}
export interface Pictures { pictures: {title: string; svg: string; rows: number[]}[]; found: number }
export interface Way { from: string; to: string }
export interface PictureAt { title: string; svg: string; values: Way[]; arriving: Way[] }
export interface FlowBlock {
  address: number;
  lines: {address: number; text: string; slot: boolean}[];
  calls: string[];
  edges: {kind: string; block: number | null; name: string}[];
}
export interface Flow { graphs: {program: string; name: string; blocks: FlowBlock[]}[]; names: string[] }
export interface Stream { diagnostics: Diagnostic[]; events: {kind: string; level: number; text: string}[]; cores: string[]; text: string }
/** `report`: of the shortest path. `with_inputs`: of those that a run takes; absent without inputs, and of firmware. */
export interface Compared {
  sides: (About & {report: string; with_inputs?: Timed})[];
  lines: {kind: "same" | "removed" | "added"; offset: number; text: string}[] | null;
}
export interface Ran {
  width: number;
  height: number;
  ended: number;
  discarded: number;
  faulted: number;
  diagnostics: Diagnostic[];
  outputs?: string;
}
/** Of the compiler's module; its bytes are the code. */
export interface Compiled { side: string; diagnostics: Diagnostic[] }
export interface Verified { runs: number; compared: number; open: number; diagnostics: Diagnostic[] }
export interface Costs { lines: {line: number; words: number; instructions: number; pipes: {name: string; words: number}[]}[]; text: string }
export interface ManualEntry { name: string; title: string; body: string; status: string; source: string }
/** `isSuperseded`: nobody asks that any more, and the answer is not shown. */
export interface Refusal { ok: false; diagnostics: Diagnostic[]; text: string; isSuperseded?: boolean }
export type Answer<Good> = (Good & {ok: true}) | Refusal;
