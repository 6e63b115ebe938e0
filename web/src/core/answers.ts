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
export interface Variable { name: string; type: string }
export interface About {
  machine: string;
  stage: string;
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
export interface Timing { report: string; timeline: {cycles: number; rows: Row[]} | null }
export interface Stop {
  address: number | null;
  executed: number;
  registers: {name: string; value: string; changed: boolean}[];
  faults: string[];
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
export interface ManualEntry { name: string; title: string; body: string; status: string; source: string }
export interface Refusal { ok: false; diagnostics: Diagnostic[]; text: string }
export type Answer<Good> = (Good & {ok: true}) | Refusal;
