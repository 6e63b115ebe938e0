// The library as a module of WebAssembly: a request with bytes in, an answer with bytes out. Knows no page: the worker
// and the tests under Node use it.
export interface Reply {
  json: Record<string, unknown>;
  bytes: Uint8Array;
}

export class Module {
  private constructor(private readonly exports: {
    memory: WebAssembly.Memory;
    _initialize(): void;
    web_room(bytes: number): number;
    web_answer(jsonBytes: number): number;
  }) {}

  /** The module reads and writes no files: whatever it asks of a system is refused. */
  static async start(compiled: WebAssembly.Module, onProgress: (part: number) => void = () => {}): Promise<Module> {
    const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
    const badf = 8;
    for (const each of WebAssembly.Module.imports(compiled)) (imports[each.module] ??= {})[each.name] = () => badf;
    if (imports.page) imports.page.progress = onProgress;
    const instance = await WebAssembly.instantiate(compiled, imports);
    const module = new Module(instance.exports as never);
    module.exports._initialize();
    return module;
  }

  ask(request: object, bytes: Uint8Array = new Uint8Array()): Reply {
    const json = new TextEncoder().encode(JSON.stringify(request));
    const room = this.exports.web_room(json.length + bytes.length);
    const memory = () => new Uint8Array(this.exports.memory.buffer);  // which moves when it grows
    memory().set(json, room);
    memory().set(bytes, room + json.length);
    const where = this.exports.web_answer(json.length);
    const [text, textSize, data, size] = new Uint32Array(this.exports.memory.buffer.slice(where, where + 16));
    return {
      json: JSON.parse(new TextDecoder().decode(memory().subarray(text, text + textSize))),
      bytes: memory().slice(data, data + size),
    };
  }
}
