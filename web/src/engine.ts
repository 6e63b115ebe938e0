// Questions to the worker. A worker that is broken or takes too long is ended, and another one starts.
import type {Answer} from "./core/answers";

declare const WORKER_SOURCE: string;

export class Engine {
  private worker!: Worker;
  private next = 0;
  private waiting = new Map<number, (answer: {json: unknown; bytes: Uint8Array}) => void>();

  constructor(private readonly wasm: Uint8Array, private readonly onBusy: (busy: boolean) => void) {
    this.start();
  }

  private start() {
    const place = URL.createObjectURL(new Blob([WORKER_SOURCE], {type: "text/javascript"}));
    this.worker = new Worker(place);
    URL.revokeObjectURL(place);
    this.worker.postMessage({wasm: this.wasm});
    this.worker.onmessage = ({data}) => {
      if (data.broken !== undefined) return this.restart("The laboratory came to an unexpected end: " + data.broken);
      const give = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      this.onBusy(this.waiting.size !== 0);
      give?.(data);
    };
  }

  private restart(message: string) {
    this.worker.terminate();
    const diagnostic = {severity: "error", code: "", line: 0, column: 0, length: 0, message, hint: ""};
    const left = [...this.waiting.values()];
    this.waiting.clear();
    this.start();
    this.onBusy(false);
    for (const give of left) give({json: {ok: false, diagnostics: [diagnostic], text: message}, bytes: new Uint8Array()});
  }

  cancel() {
    if (this.waiting.size !== 0) this.restart("Cancelled.");
  }

  ask<Good>(request: object, bytes?: Uint8Array): Promise<{json: Answer<Good>; bytes: Uint8Array}> {
    const id = this.next++;
    this.onBusy(true);
    return new Promise((resolve) => {
      this.waiting.set(id, resolve as never);
      this.worker.postMessage({id, request, bytes});
    });
  }
}
