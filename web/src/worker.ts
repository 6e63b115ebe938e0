// The library works here, so that the page stays alive whatever it is given.
import {Module} from "./core/module";

let begin: (compiled: WebAssembly.Module) => void;
let asked = 0, told = 0;
const tell = (progress: number) => {
  if (performance.now() - told < 50) return;
  told = performance.now();
  self.postMessage({id: asked, progress});
};
const start = new Promise<WebAssembly.Module>((give) => { begin = give; });
const module = start.then((compiled) => Module.start(compiled, tell));

self.onmessage = async (event: MessageEvent) => {
  const {id, compiled, request, bytes} = event.data;
  if (compiled !== undefined) {
    begin(compiled);
    return;
  }
  try {
    const library = await module;
    asked = id;
    const reply = library.ask(request, bytes);
    self.postMessage({id, json: reply.json, bytes: reply.bytes});
  } catch (problem) {
    self.postMessage({id, broken: String(problem)});
  }
};
