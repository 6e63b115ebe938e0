// The library works here, so that the page stays alive whatever it is given.
import {Module} from "./core/module";
import {unzipping} from "./core/state";

let begin: (compiled: WebAssembly.Module) => void;
let asked = 0, told = 0;
/** Nobody waits for questions before this one. */
let first = 0;
const tell = (progress: number) => {
  if (performance.now() - told < 50) return;
  told = performance.now();
  self.postMessage({id: asked, progress});
};
const start = new Promise<WebAssembly.Module>((give) => { begin = give; });
const module = start.then((compiled) => Module.start(compiled, tell));

/** The page keeps it for other workers. */
async function compile(packed: string) {
  const compiled = await WebAssembly.compileStreaming(new Response(unzipping(packed), {headers: {"content-type": "application/wasm"}}));
  begin(compiled);
  self.postMessage({compiled});
}

self.onmessage = async (event: MessageEvent) => {
  const {id, packed, compiled, forget, request, bytes} = event.data;
  if (packed !== undefined) return compile(packed);
  if (compiled !== undefined) return begin(compiled);
  if (forget !== undefined) {
    first = forget;
    return;
  }
  try {
    const library = await module;
    if (id < first) return;
    asked = id;
    const reply = library.ask(request, bytes);
    self.postMessage({id, json: reply.json, bytes: reply.bytes});
  } catch (problem) {
    self.postMessage({id, broken: String(problem)});
  }
};
