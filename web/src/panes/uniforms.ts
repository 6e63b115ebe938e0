// Sliders for uniforms by their names in GLSL: a slider a number; of an array a group of them, of a matrix its numbers as it is written. Of
// a sampler, which picture it reads.
import type {Variable} from "../core/answers";
import {element} from "../dom";

/** What a uniform consists of. `columns` 0: no matrix; `count` 0: no array. */
export interface Shape { isInteger: boolean; isSigned: boolean; components: number; columns: number; count: number }

/**
 * Of a type as side files name it. They have a matrix as its columns: `declared` is what the shader says that it is.
 */
export function shapeOf(type: string, declared = ""): Shape | undefined {
  const found = /^(?:(float|int|uint|bool)|([iub]?)vec([234])|mat([234])(?:x([234]))?)((?:\[\d+\])*)$/.exec(type);
  if (!found) return undefined;
  const [, scalar, letter, vector, columns, rows, lengths] = found;
  const count = lengths ? [...lengths.matchAll(/\d+/g)].reduce((all, [length]) => all * Number(length), 1) : 0;
  const isInteger = scalar !== undefined ? scalar !== "float" : letter !== undefined && letter !== "";
  const shape = {isInteger, isSigned: scalar === "int" || letter === "i", components: Number(rows ?? columns ?? vector ?? 1), columns: Number(columns ?? 0), count};
  const matrix = /^mat([234])/.exec(declared);
  if (!matrix || shape.columns !== 0 || shape.count === 0) return shape;
  const of = Number(matrix[1]);
  return {...shape, columns: of, count: /\[/.test(declared) ? shape.count / of : 0};
}

/** "lights[2].x", "turn[0].y": of each number, in the order of the inputs. */
export function namesOf(name: string, {components, columns, count}: Shape): string[] {
  const upTo = (size: number) => size === 0 ? [""] : Array.from({length: size}, (_, each) => `[${each}]`);
  const parts = components === 1 ? [""] : [..."xyzw"].slice(0, components).map((each) => "." + each);
  return upTo(count).flatMap((element) => upTo(columns).flatMap((column) => parts.map((part) => name + element + column + part)));
}

/** What this shader says that a uniform is: "mat3", "mat2[", "bool", of which side files know only words. */
export function declaredIn(text: string, name: string): string | undefined {
  for (const [, type, names] of text.matchAll(/\buniform\s+(?:(?:lowp|mediump|highp)\s+)?(mat[234](?:x[234])?(?:\s*\[)?|bool\b|bvec[234]\b)([^;{}]*);/g)) {
    const found = names.split(",").map((each) => /(\w+)\s*(\[)?/.exec(each)).find((each) => each?.[1] === name);
    if (found) return type + (found[2] ?? "");
  }
  return undefined;
}

const mostNumbers = 256;

/** A number, or what the inputs say instead of one: "nan", or the bits "0x7fc00000". JSON has no infinite numbers, inputs have them as words. */
type Given = number | string;
/** The numbers that these words are. */
function numbersOf(words: number[], {isInteger, isSigned}: Shape): ArrayLike<number> {
  const bits = Uint32Array.from(words);
  return isInteger && !isSigned ? bits : new (isInteger ? Int32Array : Float32Array)(bits.buffer);
}
function asGiven(found: unknown): Given {
  if (typeof found === "string") return found;
  const number = Number(found);
  return Number.isFinite(number) ? number : Number.isNaN(number) ? "nan" : number < 0 ? "-inf" : "inf";
}
/** In the room that is beside a slider. */
const shortNumber = (number: number, digits: number) => Math.abs(number) < 1e5 ? number.toFixed(digits) : number.toExponential(1);

export class Uniforms {
  private readonly open = new Map<string, boolean>();

  /** `onChange`: a uniform, or the texture of a sampler, has another value. */
  constructor(private readonly place: HTMLElement, private readonly onChange: (kind: "uniforms" | "textures", name: string, value: unknown) => void) {}

  show(uniforms: Variable[], document: Record<string, any>, text: string, pictures: string[]) {
    this.place.replaceChildren(...uniforms.flatMap(({name, type, initial}): HTMLElement[] => {
      if (/sampler/.test(type)) return [this.sampler(name, document.textures?.[name], pictures)];
      const declared = declaredIn(text, name), shape = shapeOf(type, declared);
      if (!shape) return [];
      if (Math.max(shape.count, 1) * Math.max(shape.columns, 1) * shape.components > mostNumbers) return [element("p", {class: "quiet"}, `${name}: ${type}: give it under Inputs`)];
      const names = namesOf(name, shape);
      const values: Given[] = [document.uniforms?.[name] ?? Array.from(numbersOf(initial, shape))].flat(Infinity).map(asGiven).concat(Array(names.length).fill(0)).slice(0, names.length);
      const give = () => this.onChange("uniforms", name, valueOf(values, shape));
      if (/^b(ool|vec[234])$/.test(declared ?? type) && shape.count === 0) return names.map((each, at) => this.switch(each, values, at, give));
      if (shape.columns === 0 && shape.count === 0) return names.map((each, at) => this.slider(each, values, at, shape, give));
      const title = `${name}: ${declared && shape.columns ? declared.replace("[", "") + (shape.count ? `[${shape.count}]` : "") : type}`;
      return [this.group(name, title, names.length <= 16, shape.columns ? this.matrices(names, values, shape, give) : names.map((each, at) => this.slider(each, values, at, shape, give)))];
    }));
  }

  private group(name: string, title: string, isOpen: boolean, children: HTMLElement[]) {
    const made: HTMLDetailsElement = element("details", {open: this.open.get(name) ?? isOpen, toggle: () => this.open.set(name, made.open)}, element("summary", {}, title), ...children);
    return made;
  }

  /** Of a number that is given as a word, or is none, the slider has the usual range and is at 0. */
  private slider(name: string, values: Given[], at: number, {isInteger, isSigned}: Shape, give: () => void) {
    const digits = isInteger ? 0 : 2, far = isInteger ? 16 : 4, given = values[at], value = typeof given === "number" ? given : 0;
    const shown = element("output", {}, typeof given === "number" ? shortNumber(given, digits) : given);
    const slider: HTMLInputElement = element("input", {
      type: "range", min: Math.min(isInteger && !isSigned ? 0 : -far, value), max: Math.max(far, value), step: isInteger ? 1 : 0.01, value,
      input: () => {
        values[at] = Number(slider.value);
        shown.textContent = shortNumber(Number(slider.value), digits);
        give();
      },
    });
    return element("label", {}, element("span", {}, name), slider, shown);
  }

  private switch(name: string, values: Given[], at: number, give: () => void) {
    const box: HTMLInputElement = element("input", {type: "checkbox", checked: values[at] !== 0, change: () => {
      values[at] = box.checked ? 1 : 0;
      give();
    }});
    return element("label", {class: "switch"}, element("span", {}, name), box);
  }

  /** Columns beside each other, as mathematics has them. */
  private matrices(names: string[], values: Given[], {components, columns}: Shape, give: () => void) {
    const size = components * columns;
    return Array.from({length: values.length / size}, (_, number) => {
      const cells: HTMLInputElement[] = names.slice(number * size, (number + 1) * size).map((name, cell) => {
        const at = number * size + cell;
        const input: HTMLInputElement = element("input", {type: "number", step: "any", value: typeof values[at] === "number" ? values[at] : "", placeholder: String(values[at]), "aria-label": name, title: name, input: () => {
          values[at] = Number(input.value);
          give();
        }});
        return input;
      });
      const rows = Array.from({length: components}, (_, row) => element("tr", {}, ...Array.from({length: columns}, (_, column) => element("td", {}, cells[column * components + row]))));
      const identity = element("button", {"aria-label": "Identity: " + names[number * size].replace(/\[\d+\]\.x$/, ""), click: () => {
        cells.forEach((each, cell) => {
          values[number * size + cell] = Math.floor(cell / components) === cell % components ? 1 : 0;
          each.value = String(values[number * size + cell]);
        });
        give();
      }}, "Identity");
      return element("div", {}, element("table", {class: "matrix"}, element("tbody", {}, ...rows)), identity);
    });
  }

  private sampler(name: string, given: any, pictures: string[]) {
    const file = typeof given?.file === "string" ? given.file : undefined;
    const choices = ["", ...new Set([...pictures, ...file ? [file] : []])];
    const select: HTMLSelectElement = element("select", {change: () => this.onChange("textures", name, select.value === "" ? undefined : {...(file ? given : {}), file: select.value})},
      ...choices.map((each) => element("option", {value: each, selected: each === (file ?? "")}, each || (given !== undefined && !file ? "as under Inputs" : "no picture"))));
    return element("label", {class: "sampler"}, element("span", {}, name), select);
  }
}

/** As the inputs have it: a number, a list, or for an array or a matrix a list of its vectors. */
function valueOf(values: Given[], {components, columns, count}: Shape): unknown {
  if (columns === 0 && count === 0) return components === 1 ? values[0] : [...values];
  if (components === 1) return [...values];
  return Array.from({length: values.length / components}, (_, at) => values.slice(at * components, (at + 1) * components));
}
