// The first questions of the page. They are asked when it is built, too, so that its first example is shown before a module is there.
import {normalised, type State} from "./state";

/** Files by their names, which EXAMPLE_FILES gives the bytes of. */
export interface Example { title: string; file: string; machine: string; text: string; side: string; inputs: string; files: string[] }

export const stateOf = ({files, ...example}: Example, bytes: Record<string, string>): State =>
  normalised({...example, files: Object.fromEntries(files.map((name) => [name, bytes[name]]))});

export const machines = {ask: "machines"};
export const assembled = (state: State) => ({ask: "assemble", ...state});
export const explained = (offset: number) => ({ask: "explain", offset});
