// mobula dap as a real client sees it. MOBULA is the command, PROJECT the project's folder.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

const { DebugClient } = createRequire(import.meta.url)('@vscode/debugadapter-testsupport');
const inProject = (file) => path.join(process.env.PROJECT, file);
const loop = { program: inProject('examples/loop.vert.bin'), inputs: inProject('tests/servers/data/loop.inputs.json') };
const negative = {
  program: inProject('examples/negative.comp.mdg'),
  machine: 'midgard',
  inputs: inProject('examples/negative.inputs.json'),
};

let client;
let adapter;
beforeEach(async () => {
  // The client starts adapters by Node alone; one that runs already is connected to by its streams.
  client = new DebugClient('node', '', 'mobula');
  adapter = spawn(process.env.MOBULA, ['dap'], { stdio: ['pipe', 'pipe', 'inherit'] });
  client.connect(adapter.stdout, adapter.stdin);
});
afterEach(() => adapter.kill());

const pcOf = async (threadId) =>
  (await client.stackTraceRequest({ threadId })).body.stackFrames[0]?.instructionPointerReference;
const stopped = () => client.waitForEvent('stopped');

async function start(options) {
  await Promise.all([client.waitForEvent('initialized'), client.launch(options)]);
  const [event] = await Promise.all([stopped(), client.configurationDoneRequest()]);
  assert.equal(event.body.reason, 'entry');
}

test('a program runs to its end', async () => {
  await Promise.all([
    client.configurationSequence(),
    client.launch({ ...loop, stopOnEntry: false }),
    client.waitForEvent('terminated'),
  ]);
});

test('a line of assembly text is stopped at', async () => {
  await Promise.all([client.waitForEvent('initialized'), client.launch(negative)]);
  const source = { path: negative.program };
  const { breakpoints: lines } = (
    await client.customRequest('breakpointLocations', { source, line: 1, endLine: 1000 })
  ).body;
  const line = lines[2].line;
  await client.setBreakpointsRequest({ source, breakpoints: [{ line }] });
  await Promise.all([stopped(), client.configurationDoneRequest()]);
  await Promise.all([
    client.assertStoppedLocation('breakpoint', { path: negative.program, line }),
    client.continueRequest({ threadId: 1 }),
  ]);
});

test('steps go forward and back', async () => {
  await start(loop);
  await Promise.all([stopped(), client.customRequest('next', { threadId: 1, granularity: 'instruction' })]);
  assert.equal(await pcOf(1), '0x10');
  await Promise.all([stopped(), client.stepBackRequest({ threadId: 1 })]);
  assert.equal(await pcOf(1), '0x0');
});

test('instruction and data breakpoints stop every thread, and the past is gone back to', async () => {
  await start(loop);
  await client.customRequest('setInstructionBreakpoints', { breakpoints: [{ instructionReference: '0xd0' }] });
  for (const threadId of [1, 2, 3]) {
    const [event] = await Promise.all([stopped(), client.continueRequest({ threadId: 1 })]);
    assert.equal(event.body.reason, 'instruction breakpoint');
    assert.equal(event.body.threadId, threadId);
  }
  const [back] = await Promise.all([stopped(), client.reverseContinueRequest({ threadId: 3 })]);
  assert.equal(back.body.threadId, 2);
  await client.customRequest('setInstructionBreakpoints', { breakpoints: [] });
  const { dataId } = (await client.customRequest('dataBreakpointInfo', { name: '$1.y' })).body;
  await client.customRequest('setDataBreakpoints', { breakpoints: [{ dataId }] });
  const [changed] = await Promise.all([stopped(), client.reverseContinueRequest({ threadId: 2 })]);
  assert.equal(changed.body.reason, 'data breakpoint');
});

test('registers are shown, evaluated and written', async () => {
  await start(loop);
  for (let i = 0; i < 2; ++i) await Promise.all([stopped(), client.nextRequest({ threadId: 2 })]);
  const { scopes } = (await client.scopesRequest({ frameId: 2 })).body;
  const registers = scopes.find((scope) => scope.name === 'Registers').variablesReference;
  const { variables } = (await client.variablesRequest({ variablesReference: registers })).body;
  assert.equal(variables[0].type, 'changed by the last word');
  const evaluate = async (expression) => (await client.evaluateRequest({ expression, frameId: 2 })).body.result;
  assert.equal(await evaluate('$1.x * 2'), '4');
  await client.customRequest('setExpression', { expression: '$1.x', value: '7.0', frameId: 2 });
  assert.equal(await evaluate('$1.x'), '0x40e00000 (7)');
});

test('instructions and memory are shown', async () => {
  await start(loop);
  const { instructions } = (
    await client.customRequest('disassemble', { memoryReference: '0x0', instructionOffset: -2, instructionCount: 6 })
  ).body;
  assert.deepEqual(instructions.slice(2).map((each) => each.address), ['0x0', '0x10', '0x20', '0x30']);
  const memory = (await client.customRequest('readMemory', { memoryReference: '0x1000', count: 5 })).body;
  assert.deepEqual([...Buffer.from(memory.data, 'base64')], [1, 2, 3, 4, 5]);
});

test('errors are answers', async () => {
  await client.initializeRequest();
  await assert.rejects(client.launchRequest({ program: '/nowhere' }), /nowhere/);
  await assert.rejects(client.customRequest('nosuch'), /no such request/);
});

test('a client that goes away takes the adapter with it', async () => {
  await start(loop);
  const gone = new Promise((resolve) => adapter.once('exit', (code) => resolve(code)));
  adapter.stdin.end();
  assert.equal(await gone, 0);
});

test('firmware is stepped while it processes a stream', async () => {
  const firmware = {
    program: inProject('examples/firmware.afuc'),
    machine: 'afuc:a630',
    streams: [{ file: inProject('examples/stream.pm4') }],
  };
  await start(firmware);
  const { threads } = (await client.threadsRequest()).body;
  assert.deepEqual(threads, [{ id: 1, name: 'SQE' }]);
  const { breakpoints } = (await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'CP_NOP' }] })).body;
  assert.ok(breakpoints[0].verified);
  const [event] = await Promise.all([stopped(), client.continueRequest({ threadId: 1 })]);
  assert.equal(event.body.reason, 'function breakpoint');
  const { stackFrames } = (await client.stackTraceRequest({ threadId: 1 })).body;
  assert.equal(stackFrames[0].name, 'CP_NOP');
  assert.equal(stackFrames[0].source.path, firmware.program);
  await Promise.all([stopped(), client.nextRequest({ threadId: 1 })]);
  assert.equal(await pcOf(1), '0x26');
  await Promise.all([stopped(), client.stepBackRequest({ threadId: 1 })]);
  assert.equal(await pcOf(1), '0x24');
  const { scopes } = (await client.scopesRequest({ frameId: 1 })).body;
  const { variables } = (await client.variablesRequest({ variablesReference: scopes[0].variablesReference })).body;
  assert.equal(variables.find((each) => each.name === '$12').value, '0x2 (in IB2)');
  assert.equal((await client.evaluateRequest({ expression: '$02 + 1', frameId: 1 })).body.result, '0x40001');
  const { instructions } = (
    await client.customRequest('disassemble', { memoryReference: '0x24', instructionCount: 2 })
  ).body;
  assert.equal(instructions[0].symbol, 'CP_NOP');
  await client.setFunctionBreakpointsRequest({ breakpoints: [] });
  await client.customRequest('setDataBreakpoints', { breakpoints: [{ dataId: '1:*0x100030000' }] });
  const [written] = await Promise.all([stopped(), client.continueRequest({ threadId: 1 })]);
  assert.equal(written.body.text, '*0x100030000 = 0xdead');
  const memory = (await client.customRequest('readMemory', { memoryReference: '0x100030000', count: 2 })).body;
  assert.deepEqual([...Buffer.from(memory.data, 'base64')], [0xad, 0xde]);
  await client.customRequest('setDataBreakpoints', { breakpoints: [] });
  await Promise.all([client.waitForEvent('terminated'), client.continueRequest({ threadId: 1 })]);
});
