// The library works here, so that the page stays alive whatever it is given.
import {Module} from "./core/module";

let module: Promise<Module> | undefined;

self.onmessage = async (event: MessageEvent) => {
  const {id, wasm, request, bytes} = event.data;
  if (wasm !== undefined) {
    module = Module.start(wasm);
    return;
  }
  try {
    const reply = (await module!).ask(request, bytes);
    self.postMessage({id, json: reply.json, bytes: reply.bytes});
  } catch (problem) {
    self.postMessage({id, broken: String(problem)});
  }
};
