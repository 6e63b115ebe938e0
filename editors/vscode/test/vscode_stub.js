// As much of the module "vscode" as the extension and its language client need, outside of an editor: events that can be
// fired, registrations that are kept, and classes that do nothing.
'use strict';
const Module = require('node:module');

class Disposable {
  constructor(action) { this.dispose = action ?? (() => {}); }
  static from(...all) { return new Disposable(() => all.forEach((each) => each.dispose())); }
}
class EventEmitter {
  listeners = new Set();
  event = (listener, self, disposables) => {
    const bound = self ? listener.bind(self) : listener;
    this.listeners.add(bound);
    const registration = new Disposable(() => this.listeners.delete(bound));
    disposables?.push(registration);
    return registration;
  };
  fire(value) { return Promise.all([...this.listeners].map((listener) => listener(value))); }
  dispose() { this.listeners.clear(); }
}
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
  constructor(...ends) {
    [this.start, this.end] = ends.length === 2 ? ends : [new Position(ends[0], ends[1]), new Position(ends[2], ends[3])];
  }
}
class Uri {
  constructor(path) { Object.assign(this, { scheme: 'file', path, fsPath: path }); }
  static file(path) { return new Uri(path); }
  static parse(text) { return new Uri(text.replace(/^file:\/\//, '')); }
  toString() { return `file://${this.path}`; }
  with() { return this; }
}
const plain = (...names) => class { constructor(...values) { names.forEach((name, i) => { this[name] = values[i]; }); } };

/** A stub whose `settings`, `shown`, `executed`, `commands`, `factories`, `diagnostics` and `providers` tests look at. */
function makeStub(settings) {
  const stub = { settings, shown: [], executed: [], commands: new Map(), factories: new Map(), diagnostics: new Map(), providers: new Map(), events: {} };
  const event = (name) => (stub.events[name] ??= new EventEmitter()).event;
  const collection = () => ({
    set: (uri, list) => stub.diagnostics.set(uri.toString(), list), delete: (uri) => stub.diagnostics.delete(uri.toString()),
    clear: () => stub.diagnostics.clear(), dispose() {}, get: (uri) => stub.diagnostics.get(uri.toString()), has: () => false, forEach() {},
  });
  const channel = () => new Proxy({}, { get: () => () => {} });
  const api = {
    Disposable, EventEmitter, Position, Range, Uri, Diagnostic: plain('range', 'message', 'severity'), Hover: plain('contents', 'range'),
    MarkdownString: plain('value'), ProcessExecution: plain('process', 'args', 'options'), DebugAdapterExecutable: plain('command', 'args'),
    Task: plain('definition', 'scope', 'name', 'source', 'execution'), InlayHint: plain('position', 'label', 'kind'),
    TaskScope: { Workspace: 2 }, DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 }, version: '1.82.0',
    CancellationTokenSource: class { token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() }; cancel() {} dispose() {} },
    CancellationError: class extends Error {},
    env: { appName: 'stub', language: 'en', clipboard: {} }, l10n: { t: (text) => text },
    commands: {
      registerCommand: (name, run) => { stub.commands.set(name, run); return new Disposable(); },
      executeCommand: async (...words) => { stub.executed.push(words); },
    },
    debug: { registerDebugAdapterDescriptorFactory: (type, factory) => { stub.factories.set(type, factory); return new Disposable(); } },
    tasks: { executeTask: async (task) => { stub.executed.push(task); } },
    window: new Proxy({
      activeTextEditor: undefined, visibleTextEditors: [], tabGroups: { all: [], onDidChangeTabs: event('tabs') },
      showErrorMessage: async (message) => { stub.shown.push(message); },
      createOutputChannel: channel, withProgress: async (_, run) => run({ report() {} }, new api.CancellationTokenSource().token),
    }, { get: (known, name) => (name in known ? known[name] : String(name).startsWith('onDid') ? event(name) : () => new Disposable()) }),
    workspace: new Proxy({
      textDocuments: [], notebookDocuments: [], workspaceFolders: undefined, isTrusted: true, fs: {},
      getConfiguration: (section) => ({ get: (name, otherwise) => stub.settings[section ? `${section}.${name}` : name] ?? otherwise, inspect: () => undefined }),
      createFileSystemWatcher: () => ({ onDidCreate: event('w1'), onDidChange: event('w2'), onDidDelete: event('w3'), dispose() {} }),
      asRelativePath: (file) => file,
    }, { get: (known, name) => (name in known ? known[name] : String(name).startsWith('on') ? event(name) : () => new Disposable()) }),
    languages: new Proxy({
      createDiagnosticCollection: collection, match: (selector, document) => (selector.some?.((each) => each.language === document.languageId) ? 10 : 0),
    }, { get: (known, name) => known[name] ?? (String(name).startsWith('on') ? event(name) : (...words) => { stub.providers.set(name, words[1]); return new Disposable(); }) }),
  };
  // Any other class, enumeration or namespace: something to extend, and to read numbers of.
  stub.api = new Proxy(api, {
    get: (known, name) => known[name] ?? (known[name] = new Proxy(class {}, { get: (target, member) => target[member] ?? (member in target ? undefined : 0) })),
    has: () => true,
  });
  return stub;
}

/** Loads a module with the stub in the place of "vscode". */
function loadWith(stub, file) {
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? stub.api : load(name, ...rest));
  try {
    delete require.cache[require.resolve(file)];
    return require(file);
  } finally {
    Module._load = load;
  }
}

module.exports = { makeStub, loadWith, EventEmitter };
