declare const WORKER_SOURCE: string;

/** A worker that has been given a module, which it compiles. */
export interface Begun { worker: Worker; module: Promise<WebAssembly.Module> }

export function startWorker(): Worker {
  const place = URL.createObjectURL(new Blob([WORKER_SOURCE], {type: "text/javascript"}));
  const worker = new Worker(place);
  URL.revokeObjectURL(place);
  return worker;
}
