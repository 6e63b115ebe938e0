// mobula gdbserver as Debian's gdb-multiarch sees it. MOBULA is the command, PROJECT the project's folder.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const inProject = (file) => path.join(process.env.PROJECT, file);
const checker = [inProject('examples/checker.frag.bin'), '--inputs', inProject('examples/checker.inputs.json')];
const torus = [inProject('examples/torus.vert.bin'), '--inputs', inProject('examples/torus.inputs.json')];
const store = [inProject('tests/servers/data/store.mdg'), '--inputs', inProject('tests/servers/data/store.inputs.json')];
const quoted = (words) => words.map((word) => `'${word}'`).join(' ');

/** What GDB prints for some commands. */
function gdb(target, commands) {
  const words = ['-nx', '-batch', '-ex', 'set pagination off', '-ex', 'set confirm off', '-ex', `target remote ${target}`];
  for (const command of commands) words.push('-ex', `echo > ${command}\\n`, '-ex', command);
  // What the server says goes to standard error, in its turn.
  const { stdout } = spawnSync('bash', ['-c', 'exec "$@" 2>&1', '-', 'gdb-multiarch', ...words], { encoding: 'utf8', timeout: 50_000 });
  return stdout;
}
const piped = (program, commands) => gdb(`| ${quoted([process.env.MOBULA])} gdbserver ${quoted(program)}`, commands);
/** What comes after a command, up to the next one. */
function after(text, command) {
  const begin = text.indexOf(`> ${command}\n`);
  assert.notEqual(begin, -1, text);
  const rest = text.slice(begin + command.length + 3);
  const end = rest.indexOf('\n> ');
  return end === -1 ? rest : rest.slice(0, end + 1);
}

test('a session goes as docs/servers.md shows it', () => {
  const page = readFileSync(inProject('docs/servers.md'), 'utf8');
  const [, shown] = page.match(/^```\n(\(gdb\) .*?)^```$/ms);
  const turns = shown.split('(gdb) ').slice(1).map((turn) => turn.trimEnd().split('\n'));
  const text = piped(checker, turns.map(([command]) => command));
  for (const [command, ...lines] of turns)
    for (const line of lines) {
      const parts = line.split('{...}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      assert.match(after(text, command), new RegExp(parts.join('\\{.*\\}')), command);
    }
});

test('it steps forward and back', () => {
  const text = piped(checker, ['stepi', 'stepi', 'monitor where', 'reverse-stepi', 'p $r0.f[0]', 'reverse-continue']);
  assert.match(after(text, 'stepi'), /0x0*10 in/);
  assert.match(after(text, 'monitor where'), /thread 0 at 0x0020: vmul\.FMUL\.f32/);
  assert.match(after(text, 'reverse-stepi'), /0x0*10 in/);
  assert.match(after(text, 'p $r0.f[0]'), /= 2\n/);
  assert.match(after(text, 'reverse-continue'), /No more reverse-execution history/);
});

test('breakpoints stop it in both directions', () => {
  const text = piped(checker, ['break *0x60', 'continue', 'p $pc', 'hbreak *0x20', 'reverse-continue', 'info registers pc', 'break *0x61', 'continue']);
  assert.match(after(text, 'continue'), /Breakpoint 1, 0x0*60 in/);
  assert.match(after(text, 'reverse-continue'), /Breakpoint 2, 0x0*20 in/);
  assert.match(after(text, 'info registers pc'), /pc +0x20 /);
  assert.match(text, /Cannot insert breakpoint 3/);
});

test('registers are vectors that can be written', () => {
  const text = piped(checker, ['set var $r0.f[1] = 2.5', 'p $r0', 'p/x $r0.u[1]', 'stepi', 'reverse-stepi', 'p $r0.f[1]', 'info registers r0']);
  assert.match(after(text, 'p $r0'), /f = \{0, 2\.5, 0, 0\}, u = \{0, 1075838976, 0, 0\}/);
  assert.match(after(text, 'p/x $r0.u[1]'), /= 0x40200000/);
  assert.match(after(text, 'p $r0.f[1]'), /= 2\.5\n/);
});

test('watches stop where a register changes', () => {
  const text = piped(checker, ['watch $r0.f[0]', 'continue', 'delete', 'monitor watch r0.y', 'continue']);
  assert.match(after(text, 'continue'), /Watchpoint 1: \$r0\.f\[0\]\s+Old value = 0\s+New value = 2\n/);
  assert.match(text, /r0\.y is now /);
});

test('watched memory stops it at the store, in both directions', () => {
  const text = piped(store, ['watch *(int*)0x1000', 'continue', 'info registers pc', 'c', 'continue 1', 'reverse-continue', 'info  registers pc', 'reverse-continue 1', 'info registers  pc', 'reverse-continue 2']);
  assert.match(after(text, 'continue'), /Old value = 0\nNew value = 1086324736\n/);
  assert.match(after(text, 'info registers pc'), /pc +0x50 /);
  assert.match(after(text, 'c'), /New value = 1094713344\n/);
  assert.match(after(text, 'continue 1'), /No more reverse-execution history/);
  assert.match(after(text, 'reverse-continue'), /Old value = 1094713344\nNew value = 1086324736\n/);
  assert.match(after(text, 'info  registers pc'), /pc +0x70 /);
  assert.match(after(text, 'reverse-continue 1'), /Old value = 1086324736\nNew value = 0\n/);
  assert.match(after(text, 'info registers  pc'), /pc +0x40 /);
  assert.match(after(text, 'reverse-continue 2'), /No more reverse-execution history/);
});

test('memory and the program counter can be written', () => {
  const text = piped(store, ['set var *(int*)0x1000 = 7', 'p *(int*)0x1000', 'set var $pc = 0x20', 'p $pc', 'stepi', 'set var $pc = 0x21', 'set var $x1 = 3', 'backtrace', 'monitor nosuch']);
  assert.match(after(text, 'p *(int*)0x1000'), /= 7\n/);
  assert.match(after(text, 'p $pc'), /0x20\n/);
  assert.match(after(text, 'stepi'), /0x0*40 in/);
  assert.match(after(text, 'set var $pc = 0x21'), /no word starts at 0x21/);
  assert.match(after(text, 'set var $x1 = 3'), /slots and pc can be written/);
  assert.doesNotMatch(after(text, 'backtrace'), /#1/);
  assert.match(after(text, 'monitor nosuch'), /there is no "monitor nosuch"/);
});

test('lanes are threads', () => {
  const text = piped(torus, ['info threads', 'thread 3', 'p $_thread', 'stepi', 'thread 1', 'info registers pc', 'reverse-stepi']);
  assert.equal(after(text, 'info threads').match(/"thread [0-9]+" \(running\)/g).length, 256);
  assert.match(after(text, 'thread 3'), /Switching to thread 3/);
  assert.match(after(text, 'stepi'), /0x0*10 in/);
  assert.match(after(text, 'info registers pc'), /pc +0x10 /);
  assert.match(after(text, 'reverse-stepi'), /0x0*0 in/);
});

test('at the end one can still go back, and then it is over', () => {
  const text = piped(checker, ['continue', 'reverse-stepi', 'stepi', 'kill']);
  assert.match(after(text, 'continue'), /No more reverse-execution history/);
  assert.match(after(text, 'reverse-stepi'), /0x0*b0 in/);
  const over = piped(checker, ['continue', 'continue']);
  assert.match(over, /exited normally/);
});

test('it listens on a port of this computer, for one client', async () => {
  const server = spawn(process.env.MOBULA, ['gdbserver', ...checker, '--port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  const port = await new Promise((resolve) => server.stderr.on('data', (data) => resolve(/127\.0\.0\.1:([0-9]+)/.exec(data)?.[1])));
  assert.match(gdb(`127.0.0.1:${port}`, ['stepi', 'detach']), /0x0*10 in/);
  assert.equal(await ended, 0);
});
