// Questions to workers. A worker that is broken or takes too long is ended, and another one starts.
import type {Answer, Verified} from "./core/answers";
import {startWorker, type Begun} from "./start";
import {translated} from "./core/messages";

export interface Question { ask: string; [more: string]: unknown }
/** Whatever answers questions. */
export interface Engine {
  ask<Good>(request: Question, bytes?: Uint8Array): Promise<{json: Answer<Good>; bytes: Uint8Array}>;
}

/** In milliseconds: so long may what is no longer wanted go on. */
const moment = 200;
const superseded = "Another program is there.";

/** A module, compiled once, by the first worker that needs it; gzip in base 64. */
class Compiled {
  private module: WebAssembly.Module | undefined;
  private first: Worker | undefined;
  private tell!: () => void;
  readonly there = new Promise<void>((resolve) => { this.tell = resolve; });

  constructor(private readonly packed: Promise<string>, begun?: Begun) {
    this.first = begun?.worker;
    void begun?.module.then((module) => this.keep(module));
  }

  get isThere() { return this.module !== undefined; }
  keep(module: WebAssembly.Module) {
    this.module = module;
    this.tell();
  }
  worker(): Worker {
    const worker = this.first ?? startWorker();
    if (this.module) worker.postMessage({compiled: this.module});
    else if (!this.first) void this.packed.then((packed) => worker.postMessage({packed}));
    this.first = undefined;
    return worker;
  }
}

/** A module in a worker; questions may be asked before the module is there. */
class OneModule implements Engine {
  private worker!: Worker;
  private next = 0;
  /** Whether it was given these; one that begins anew was not. */
  hasFiles = false;
  hasProgram = false;
  private waiting = new Map<number, (answer: {json: unknown; bytes: Uint8Array}) => void>();
  onProgress: (part: number) => void = () => {};

  constructor(private readonly compiled: Compiled, private readonly onBusy: (busy: boolean) => void) {
    this.start();
  }

  private start() {
    this.hasFiles = this.hasProgram = false;
    this.worker = this.compiled.worker();
    this.worker.onmessage = ({data}) => {
      if (data.compiled !== undefined) return this.compiled.keep(data.compiled);
      if (data.progress !== undefined) return this.onProgress(data.progress);
      if (data.broken !== undefined) return this.restart("The laboratory came to an unexpected end: " + data.broken);
      const give = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      this.onBusy(this.waiting.size !== 0);
      give?.({json: translated(data.json), bytes: data.bytes});
    };
  }

  private restart(message: string, isSuperseded = false) {
    this.worker.terminate();
    this.start();
    this.giveUp(message, isSuperseded);
  }

  private giveUp(message: string, isSuperseded: boolean) {
    const diagnostic = {severity: "error", code: "", line: 0, column: 0, length: 0, message, hint: ""};
    const left = [...this.waiting.values()];
    this.waiting.clear();
    this.onBusy(false);
    for (const give of left) give({json: {ok: false, diagnostics: [diagnostic], text: message, isSuperseded}, bytes: new Uint8Array()});
  }

  cancel() {
    if (this.waiting.size !== 0) this.restart("Cancelled.");
  }

  /** What is under way may come to its end by itself within a moment: to start again costs more than that. */
  async supersede() {
    if (!this.compiled.isThere) {  // so that nothing is under way
      this.hasFiles = this.hasProgram = false;
      this.worker.postMessage({forget: this.next});
      return this.giveUp(superseded, true);
    }
    const under = [...this.waiting.keys()], until = performance.now() + moment;
    const isUnderWay = () => under.some((each) => this.waiting.has(each));
    while (isUnderWay() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    if (isUnderWay()) this.restart(superseded, true);
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

/**
 * The decoders, which are there soon, and the module with everything, which takes longer. A program goes to both; what it is, the decoders
 * say. What is verified has a worker of its own: what is typed meanwhile does not wait for it.
 */
export class Laboratory implements Engine {
  private readonly decoders: OneModule;
  private readonly all: OneModule;
  private readonly busy = new Set<object>();
  private program: {request: Question; bytes?: Uint8Array} | undefined;
  private files: [object, Uint8Array] | undefined;
  private verifier: OneModule | undefined;

  /** The other module is compiled when it is first asked and the decoders are there: side by side both would come later. */
  private begin!: () => void;
  private readonly compiled: Compiled;
  private readonly stored: Stored;

  /** Both packed; the first worker has the decoders already. `answers`: theirs to the first questions. */
  constructor(answers: [Question, Answer<unknown>][], decoders: string, begun: Begun, all: () => Promise<string>, onBusy: (busy: boolean) => void, onProgress: (part: number) => void) {
    this.stored = new Stored(answers);
    const work = (who: object) => (is: boolean) => {
      is ? this.busy.add(who) : this.busy.delete(who);
      onBusy(this.busy.size !== 0);
    };
    const small = new Compiled(Promise.resolve(decoders), begun);
    this.decoders = new OneModule(small, work({}));
    this.compiled = new Compiled(new Promise<void>((resolve) => { this.begin = resolve; }).then(() => small.there).then(all));
    this.all = new OneModule(this.compiled, work({}));
    this.all.onProgress = onProgress;
  }

  /** What programs and shaders find by name: these, and no others. */
  keep(files: Map<string, Uint8Array>) {
    const bytes = new Uint8Array([...files.values()].reduce((sum, each) => sum + each.length, 0));
    let at = 0;
    for (const each of files.values()) {
      bytes.set(each, at);
      at += each.length;
    }
    this.files = [{ask: "files", files: [...files].map(([name, {length}]) => ({name, size: length}))}, bytes];
    this.all.hasFiles = false;
  }

  /** One at a time: another one, or `stopVerifying`, ends what is there. */
  verify(request: object, onProgress: (part: number) => void): Promise<{json: Answer<Verified>; bytes: Uint8Array}> {
    this.verifier ??= new OneModule(this.compiled, () => {});
    this.verifier.cancel();
    this.verifier.onProgress = onProgress;
    if (this.files) void this.verifier.ask(...this.files);
    return this.verifier.ask({...request, ask: "verify"});
  }
  stopVerifying() {
    this.verifier?.cancel();
  }

  cancel() {
    this.decoders.cancel();
    this.all.cancel();
  }

  /** Nobody waits for what was asked until now: another program, or another text of it, is there. */
  async supersede() {
    await Promise.all([this.decoders.supersede(), this.all.supersede()]);
  }

  ask<Good>(request: Question, bytes?: Uint8Array): Promise<{json: Answer<Good>; bytes: Uint8Array}> {
    const gives = giving.has(request.ask), decodes = decoding.has(request.ask);
    if (!decodes) this.begin();
    const modules = !decodes ? [this.all] : gives ? [this.decoders, this.all] : [this.decoders];
    for (const each of modules) this.prepare(each);
    const before = this.program, given = gives ? {request, bytes} : before;
    this.program = given;
    const [said] = modules.map((each) => each.ask<Good>(request, bytes)), answer = this.stored.answer<Good>(request) ?? said;
    // A module that refuses what it is given keeps what it had.
    if (given !== before) void answer.then(({json}) => { if (!json.ok && this.program === given) this.program = before; });
    return answer;
  }

  /** What a module must have before it is asked: the files, and the program that is there. */
  private prepare(module: OneModule) {
    if (module === this.all && !module.hasFiles && this.files) void module.ask(...this.files);
    if (!module.hasProgram && this.program) void module.ask(this.program.request, this.program.bytes);
    module.hasFiles = module.hasProgram = true;
  }
}

/** Answers that came with the page, from its own module: to questions about one program, and as long as that is there. */
class Stored {
  private readonly answers: Map<string, Answer<unknown>>;

  constructor(answers: [Question, Answer<unknown>][]) {
    this.answers = new Map(answers.map(([request, answer]) => [JSON.stringify(request), translated(answer)]));
  }

  answer<Good>(request: Question): Promise<{json: Answer<Good>; bytes: Uint8Array}> | undefined {
    if (this.answers.size === 0) return undefined;
    const json = this.answers.get(JSON.stringify(request)) as Answer<Good> | undefined;
    if (!json && giving.has(request.ask)) this.answers.clear();
    return json && Promise.resolve({json, bytes: new Uint8Array()});
  }
}
const giving = new Set(["open", "assemble", "workload"]);
const decoding = new Set(["machines", "open", "assemble", "manual", "explain", "pictures", "picture_at", "flow"]);
