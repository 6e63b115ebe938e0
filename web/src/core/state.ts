// What the page holds, as it goes into a link. A link of an older version is lifted to the newest one here.
export interface State {
  version: 1;
  machine: string;
  file: string;
  text: string;
  side: string;
  inputs: string;
  /** The shader that was compiled, to whose lines the side file refers; empty: there is none. */
  shader: string;
  /** Meshes, pictures, what shaders include: names, and bytes in base 64. */
  files: Record<string, string>;
}

export const emptyState: State = {version: 1, machine: "", file: "program", text: "", side: "", inputs: "", shader: "", files: {}};

/** Whatever comes from outside becomes a state: what is missing or of another type takes its default. */
export function normalised(found: unknown): State {
  const state = {...emptyState};
  if (typeof found !== "object" || found === null) return state;
  const from = found as Record<string, unknown>;
  for (const key of ["machine", "file", "text", "side", "inputs", "shader"] as const)
    if (typeof from[key] === "string") state[key] = from[key];
  state.files = Object.fromEntries(Object.entries(from.files ?? {}).filter(([, bytes]) => typeof bytes === "string"));
  return state;
}

const isObject = (found: unknown): found is Record<string, unknown> => typeof found === "object" && found !== null && !Array.isArray(found);

/** Whether a page of this version made that: nothing of it would be left out. Throws where files are none. */
function isState(found: unknown): boolean {
  if (!isObject(found) || found.version !== emptyState.version) return false;
  const files = found.files ?? {};
  return isObject(files) && Object.values(files).every((bytes) => typeof bytes === "string" && fromBase64(bytes));
}

/** Whether this is the name of a shader's source, which is compiled. */
export const isShader = (file: string) => /\.(vert|frag|comp)(\.|$)/.test(file) && !/\.(bin|json|mdg|gpasm|rgasm)$/.test(file);

const mark = "#1=";
/** Some links unpack to what no page can hold. */
const mostBytes = 256 << 20;

async function through(bytes: Uint8Array, by: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  let left = mostBytes;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, to) {
      left -= piece.length;
      left < 0 ? to.error(new Error("too large")) : to.enqueue(piece);
    },
  });
  return new Uint8Array(await new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(by).pipeThrough(counted)).arrayBuffer());
}

/** Whether this is meant to hold a program, of this version of the page or of another. */
export const isLink = (fragment: string) => /^#\d+=/.test(fragment);

export function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as {fromBase64?: (text: string) => Uint8Array}).fromBase64;  // which newer browsers have
  if (native) return native.call(Uint8Array, text);
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; ++at) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

export function toBase64(bytes: Uint8Array): string {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters);
}

export async function toFragment(state: State): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  return mark + toBase64(packed).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Nothing if the fragment is no state, or a damaged one. */
export async function fromFragment(fragment: string): Promise<State | undefined> {
  if (!fragment.startsWith(mark)) return undefined;
  try {
    const packed = fromBase64(fragment.slice(mark.length).replaceAll("-", "+").replaceAll("_", "/"));
    const text = new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw")));
    const found = JSON.parse(text);
    return isState(found) ? normalised(found) : undefined;
  } catch {
    return undefined;
  }
}

export function unzipping(base64: string): ReadableStream<Uint8Array> {
  return new Blob([fromBase64(base64) as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
}
