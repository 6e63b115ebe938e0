// The grammars on the project's examples: what is what, and that no line is left without a colour.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const root = path.join(__dirname, '..');
const examples = process.env.EXAMPLES ?? path.join(root, '..', '..', 'examples');
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

async function grammarOf(language) {
  const { scopeName, path: file } = manifest.contributes.grammars.find((each) => each.language === language);
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength)).catch(() => {});
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns), createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(path.join(root, file), 'utf8'), file),
  });
  return registry.loadGrammar(scopeName);
}

/** "text: scope" of the pieces of a line that have a scope of their own. */
const pieces = (grammar, line) => grammar.tokenizeLine(line, textmate.INITIAL).tokens.filter(({ scopes }) => scopes.length > 1)
  .map(({ startIndex, endIndex, scopes }) => `${line.slice(startIndex, endIndex).trim()}: ${scopes.at(-1)}`);

const cases = {
  midgard: [
    ['  vmul.FMUL.f32 R0, R1, #2.0 // twice', ['vmul: keyword.operator.unit', 'FMUL.f32: keyword.mnemonic', 'R0: variable.other.register', '// twice: comment.line']],
    ['L13:', ['L13: entity.name.function']],
    ['.gpu t860', ['.gpu: keyword.control.directive']],
  ],
  afuc: [
    ['(rep)cwrite $memdata, [$00 + @PACKET_TABLE_WRITE] ; all', ['cwrite: keyword.mnemonic', '$memdata: variable.other.register', '@PACKET_TABLE_WRITE: variable.other.register', '; all: comment.line']],
    ['jump #l29', ['jump: keyword.mnemonic', '#l29: entity.name.function.reference']],
  ],
  'utgard-gp': [
    ['{ p0 = attr0; m0 = mul p0.x, ld.y }  // twice', ['mul: keyword.mnemonic', 'attr0: variable.other.register', '// twice: comment.line']],
  ],
  rogue: [
    ['main { s0 = r4; p0: fmul ft0, s0, s1; w0 = r6 }', ['main: keyword.control', 'p0: keyword.operator.unit', 'fmul: keyword.mnemonic', 'r4: variable.other.register']],
    ['        fmad r6, r5, r5, r6  // square', ['fmad: keyword.mnemonic', 'r6: variable.other.register', '// square: comment.line']],
  ],
  scoreboard: [
    ['0 mul d=I1 s=I2,I3 # first', ['0: entity.name.tag', 'mul: keyword.mnemonic', 'd: keyword.other.field', 'I1: variable.other.register', '# first: comment.line']],
    ['reg I1 = 34', ['reg: keyword.control.directive', '34: constant.numeric']],
  ],
};

for (const [language, lines] of Object.entries(cases))
  test(`${language}: what is what`, async () => {
    const grammar = await grammarOf(language);
    for (const [line, wanted] of lines) {
      const found = pieces(grammar, line);
      for (const piece of wanted) assert.ok(found.includes(piece), `${piece} in ${line}\n${found.join('\n')}`);
    }
  });

test('every line of the examples with a word in it has a colour', async () => {
  let files = 0;
  for (const { id, extensions } of manifest.contributes.languages) {
    const grammar = await grammarOf(id);
    for (const file of fs.readdirSync(examples).filter((name) => extensions.some((end) => name.endsWith(end)))) {
      ++files;
      for (const line of fs.readFileSync(path.join(examples, file), 'utf8').split('\n'))
        assert.ok(!/[A-Za-z]/.test(line) || pieces(grammar, line).length > 0, `${file}: ${line}`);
    }
  }
  assert.ok(files > 8);
});
