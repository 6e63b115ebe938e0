// Elements, whose texts are always text.
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

function filled<E extends Element>(made: E, attributes: Attributes, children: (Node | string)[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: (Node | string)[]) {
  return filled(document.createElement(name), attributes, children);
}
export function drawing(name: string, attributes: Attributes = {}, ...children: (Node | string)[]) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}
export function byId<E extends HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}
export const hex = (value: number) => "0x" + value.toString(16).padStart(2, "0");
/** "1 word", "2 words" */
export const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** What has the focus goes out of sight with `part`: it returns to where it was before, or to `otherwise`. */
export function keepFocus(part: HTMLElement, otherwise: HTMLElement) {
  let before: HTMLElement | undefined;
  document.addEventListener("focusin", ({target}) => { if (!part.contains(target as Node)) before = target as HTMLElement; });
  new MutationObserver(() => {
    if (!part.hidden || !part.contains(document.activeElement)) return;
    (before?.isConnected ? before : otherwise).focus({preventScroll: true});
  }).observe(part, {attributes: true, attributeFilter: ["hidden"]});
}
