// mobula lsp as a real client sees it. MOBULA is the command, PROJECT the project's folder.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

const rpc = createRequire(import.meta.url)('vscode-jsonrpc/node');
const read = (file) => readFileSync(path.join(process.env.PROJECT, file), 'utf8');

let server;
let connection;
let findings;
let waiting;

beforeEach(async () => {
  server = spawn(process.env.MOBULA, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  connection = rpc.createMessageConnection(new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));
  findings = new Map();
  waiting = new Map();
  connection.onNotification('textDocument/publishDiagnostics', (params) => {
    findings.set(params.uri, params);
    waiting.get(params.uri)?.(params);
  });
  connection.listen();
  const { capabilities } = await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  assert.equal(capabilities.positionEncoding, 'utf-16');
  await connection.sendNotification('initialized', {});
});
afterEach(async () => {
  connection.dispose();
  server.kill();
});

/** Opens a text and waits for what is wrong with it. */
async function open(uri, languageId, text, version = 1) {
  const told = new Promise((resolve) => waiting.set(uri, resolve));
  await connection.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
  return told;
}
const at = (uri, line, character) => ({ textDocument: { uri }, position: { line, character } });

test('the examples have no errors, hints, labels and completions', async () => {
  for (const [file, language, labels] of [
    ['examples/brighten.frag.mdg', 'midgard', true], ['examples/torus.vert.gpasm', 'utgard-gp', false],
    ['examples/rogue-collatz.rgasm', 'rogue', true], ['examples/firmware.afuc', 'afuc', true],
    ['examples/scoreboard-worked.sb', 'scoreboard', false],
  ]) {
    const uri = `file:///${file}`;
    const { diagnostics, version } = await open(uri, language, read(file));
    assert.equal(version, 1);
    assert.deepEqual(diagnostics.filter(({ severity }) => severity === 1), [], file);
    const range = { start: { line: 0, character: 0 }, end: { line: 10000, character: 0 } };
    const hints = await connection.sendRequest('textDocument/inlayHint', { textDocument: { uri }, range });
    if (language !== 'afuc') assert.ok(hints.length > 0, `cycles in ${file}`);
    const symbols = await connection.sendRequest('textDocument/documentSymbol', { textDocument: { uri } });
    assert.equal(symbols.length > 0, labels, `labels in ${file}`);
    const { items } = await connection.sendRequest('textDocument/completion', at(uri, 0, 0));
    assert.ok(items.length > 10, `completions in ${file}`);
  }
});

test('what is wrong goes when it is mended', async () => {
  const uri = 'file:///t.mdg';
  const wrong = await open(uri, 'midgard', '// \u{1F600} \u{1F600}\n{ vmul.FMULL.f32 R0, R1, R2 }\n');
  assert.equal(wrong.diagnostics.length, 1);
  assert.deepEqual(wrong.diagnostics[0].range.start, { line: 1, character: 7 });
  const mended = new Promise((resolve) => waiting.set(uri, resolve));
  await connection.sendNotification('textDocument/didChange', {
    textDocument: { uri, version: 2 }, contentChanges: [{ text: '{\n  vmul.FMUL.f32 R0, R1, R2\n  break\n}\n' }],
  });
  assert.deepEqual((await mended).diagnostics.filter(({ severity }) => severity === 1), []);
  const { contents } = await connection.sendRequest('textDocument/hover', at(uri, 1, 9));
  assert.match(contents.value, /\*\*FMUL\*\* ALU 0x14/);
});

test('labels are renamed where they are used', async () => {
  const uri = 'file:///b.mdg';
  const text = read('examples/brighten.frag.mdg');
  await open(uri, 'midgard', text);
  const line = text.split('\n').indexOf('L1:');
  const { changes } = await connection.sendRequest('textDocument/rename', { ...at(uri, line, 1), newName: 'again' });
  assert.equal(changes[uri].length, 2);
  const [definition] = await connection.sendRequest('textDocument/definition', at(uri, changes[uri][1].range.start.line, changes[uri][1].range.start.character));
  assert.deepEqual(definition.range.start, { line, character: 0 });
});

test('bad places and unknown methods are errors, and not the end', async () => {
  const uri = 'file:///t.mdg';
  await open(uri, 'midgard', 'nonsense\n');
  await assert.rejects(connection.sendRequest('textDocument/hover', at(uri, 99, 0)), { code: -32602 });
  await assert.rejects(connection.sendRequest('textDocument/formatting', {}), { code: -32601 });
  assert.equal(await connection.sendRequest('textDocument/hover', at(uri, 0, 99)), null);
});

test('it ends as it was told to', async () => {
  const ended = new Promise((resolve) => server.on('exit', (code) => resolve(code)));
  assert.equal(await connection.sendRequest('shutdown'), null);
  await connection.sendNotification('exit');
  assert.equal(await ended, 0);
});

test('it ends with a client that disappears', async () => {
  const ended = new Promise((resolve) => server.on('exit', (code) => resolve(code)));
  server.stdin.destroy();
  assert.equal(await ended, 1);
});
