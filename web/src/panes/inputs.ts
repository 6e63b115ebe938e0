// Inputs of a shader that is being edited: what still fits it.
import type {About} from "../core/answers";

/** Parts of the inputs that give something by its name in the shader. */
const parts = ["uniforms", "textures", "varyings", "corners", "attributes"];

/** Without what the program has no name for, whose names are left over. Numbers are places, and names of arrays and structures have parts. */
export function fitting(text: string, document: Record<string, any>, {uniforms, inputs}: About): {text: string; left: string[]} {
  const known = new Set([...uniforms, ...inputs].map(({name}) => nameAlone(name)));
  const has = (name: string) => /^\d+$/.test(name) || name.startsWith("gl_") || known.has(nameAlone(name));
  const fits = {...document}, left = new Set<string>();
  for (const part of parts) {
    if (typeof document[part] !== "object" || document[part] === null || Array.isArray(document[part])) continue;
    const all = Object.entries(document[part]);
    for (const [name] of all) if (!has(name)) left.add(name);
    fits[part] = Object.fromEntries(all.filter(([name]) => has(name)));
  }
  return left.size === 0 ? {text, left: []} : {text: JSON.stringify(fits), left: [...left]};
}
const nameAlone = (name: string) => name.split(/[.[]/)[0];
