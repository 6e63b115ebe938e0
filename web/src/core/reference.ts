// Where facts are written down.

/** What a section of the tables is a section of. */
export function sectionOf(section: string, machine: string): string {
  const name = machine.split(":")[0];
  return section === "" ? "" : `section ${section} of mobula's reference of ${name}, docs/reference/${name}.md`;
}
