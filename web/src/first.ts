// A small script of its own, so that the module which gives the first words is compiled while the browser still reads the large one.
import {startWorker, type Begun} from "./start";

const worker = startWorker();
worker.postMessage({packed: document.getElementById("decoders")!.textContent});
const module = new Promise<WebAssembly.Module>((give) => worker.addEventListener("message", ({data}) => give(data.compiled), {once: true}));
(globalThis as {begun?: Begun}).begun = {worker, module};
