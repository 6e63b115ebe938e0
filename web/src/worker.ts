// The library works here, so that the page stays alive whatever it is given.
import {Module} from "./core/module";

let begin: (wasm: BufferSource) => void;
const module = new Promise<BufferSource>((give) => { begin = give; }).then((wasm) => Module.start(wasm));

self.onmessage = async (event: MessageEvent) => {
  const {id, wasm, request, bytes} = event.data;
  if (wasm !== undefined) {
    begin(wasm);
    return;
  }
  try {
    const reply = (await module).ask(request, bytes);
    self.postMessage({id, json: reply.json, bytes: reply.bytes});
  } catch (problem) {
    self.postMessage({id, broken: String(problem)});
  }
};
