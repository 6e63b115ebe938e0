// The packed extension in an editor's place: what it registers, and that its language client and `mobula lsp` understand
// each other. MOBULA names the command.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { makeStub, loadWith } = require('./vscode_stub.js');

const root = path.join(__dirname, '..');
const mobula = process.env.MOBULA ?? 'mobula';
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

async function started(settings = { 'mobula.path': mobula }) {
  const stub = makeStub(settings);
  const extension = loadWith(stub, path.join(root, 'dist', 'extension.js'));
  const context = { subscriptions: [] };
  await extension.activate(context);
  return { stub, extension, context };
}

const document = (name, languageId, text) => ({
  uri: { scheme: 'file', toString: () => `file:///${name}`, fsPath: `/${name}`, path: `/${name}` }, fileName: `/${name}`, languageId, version: 1,
  getText: () => text, save: async () => true, isClosed: false, lineCount: text.split('\n').length,
});

async function until(condition) {
  for (let i = 0; i < 500; ++i) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('it did not come to that');
}

test('everything that the manifest names is there', () => {
  for (const { path: file } of manifest.contributes.grammars) assert.ok(fs.existsSync(path.join(root, file)), file);
  for (const { configuration } of manifest.contributes.languages) JSON.parse(fs.readFileSync(path.join(root, configuration), 'utf8'));
  for (const { language } of manifest.contributes.grammars) assert.ok(manifest.contributes.languages.some(({ id }) => id === language), language);
});

test('it registers what the manifest promises', async () => {
  const { stub, extension } = await started();
  for (const { command } of manifest.contributes.commands) assert.ok(stub.commands.has(command), command);
  const adapter = stub.factories.get(manifest.contributes.debuggers[0].type).createDebugAdapterDescriptor();
  assert.deepEqual([adapter.command, adapter.args], [mobula, ['dap']]);
  assert.deepEqual(stub.shown, []);
  await extension.deactivate();
});

test('its language client tells what mobula lsp finds', async () => {
  const { stub, extension } = await started();
  const text = '// \u{1F600}\n{\n  vmul.FMULL.f32 R0, R1, R2\n}\n';
  await stub.events.onDidOpenTextDocument.fire(document('t.mdg', 'midgard', text));
  await until(() => stub.diagnostics.get('file:///t.mdg')?.length);
  const [finding] = stub.diagnostics.get('file:///t.mdg');
  assert.equal(finding.range.start.line, 2);
  assert.equal(finding.range.start.character, 7);
  assert.match(finding.message, /did you mean/);
  await extension.deactivate();
});

test('it times the file that is looked at', async () => {
  const { stub, extension } = await started();
  await stub.commands.get('mobula.time')();
  assert.equal(stub.shown.length, 1);
  for (const [name, language, words] of [
    ['t.rgasm', 'rogue', ['time', '--machine', 'rogue', '/t.rgasm']],
    ['w.sb', 'scoreboard', ['scoreboard', 'run', '/w.sb']],
  ]) {
    stub.api.window.activeTextEditor = { document: document(name, language, '') };
    await stub.commands.get('mobula.time')();
    const task = stub.executed.at(-1);
    assert.equal(task.execution.process, mobula);
    assert.deepEqual(task.execution.args, words);
  }
  await extension.deactivate();
});

test('it says what to do where mobula is missing', async () => {
  const { stub, extension } = await started({ 'mobula.path': '/nowhere/mobula' });
  assert.equal(stub.shown.length > 0, true);
  assert.match(stub.shown.join('\n'), /mobula\.path/);
  assert.match(stub.shown.join('\n'), /does not start \(Launching server using command \/nowhere\/mobula failed/);
  // And finds it when the setting is mended.
  stub.settings['mobula.path'] = mobula;
  await stub.events.onDidChangeConfiguration.fire({ affectsConfiguration: (name) => name === 'mobula.path' });
  await stub.events.onDidOpenTextDocument.fire(document('u.mdg', 'midgard', 'nonsense'));
  await until(() => stub.diagnostics.get('file:///u.mdg')?.length);
  await extension.deactivate();
});
