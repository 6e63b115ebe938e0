// What the library says, for somebody who has a page instead of a command line.
import type {Answer, Diagnostic} from "./answers";

/** Options, and commands of mobula: verbs after that name end in "s". */
const ofCommandLine = /(^|[\s(`"])--[a-z]|\bmobula [a-z\d]*[a-rt-z\d]\b/;
const asksForMachine = /--machine\b|^name it, one of /;

/** Without the clauses about the command line; where they ask for a machine, with the page's way to choose one. */
export function forPage(hint: string): string {
  const clauses = hint.split(/(?<=[;:.?])\s/), left = clauses.filter((each) => !ofCommandLine.test(each) && !asksForMachine.test(each));
  if (left.length === clauses.length) return hint;
  const kept = left.join(" ").replace(/^or |[;:.]$/g, "");
  return [kept, clauses.some((each) => asksForMachine.test(each)) ? "choose a machine in the list above" : ""].filter((each) => each !== "").join("; ");
}

/** An answer as the page shows it. */
export function translated<Good>(answer: Answer<Good>): Answer<Good> {
  for (const each of (answer as {diagnostics?: Diagnostic[]}).diagnostics ?? []) each.hint = forPage(each.hint);
  if (!answer.ok)
    answer.text = answer.text.replace(/^  hint: (.*)\n/gm, (_, hint: string) => {
      const said = forPage(hint);
      return said === "" ? "" : `  hint: ${said}\n`;
    });
  return answer;
}
