import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { Batch } from '../../../src/core/event.ts';
import { parsePointer } from '../../../src/core/identity/json-pointer.ts';
import { Found, JsonScanner, textAt } from '../../../src/core/identity/json-scan.ts';
import { batchOf } from './batch.ts';

const pointers = [
  '/a',
  '/a/b',
  '/a/b/0',
  '/b/1',
  '/b/1/a',
  '/',
  '/__proto__',
  '/é',
  '/\ud800',
  '/a~1b',
  '/0',
  '',
];
const scanner = new JsonScanner(pointers);

/** What JSON.parse has at the pointer, in the scanner's words. */
function parsedAt(document: unknown, pointer: string): { found: Found; value?: unknown } {
  let value = document;
  for (const token of parsePointer(pointer)) {
    if (typeof value !== 'object' || value === null) return { found: Found.missing };
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(token)) return { found: Found.missing };
    if (!Object.hasOwn(value, token)) return { found: Found.missing };
    value = (value as Record<string, unknown>)[token];
  }
  if (value === null) return { found: Found.null };
  if (Array.isArray(value)) return { found: Found.array };
  if (typeof value === 'string') return { found: Found.text, value };
  if (typeof value === 'number') return { found: Found.number, value };
  return { found: typeof value === 'boolean' ? Found.boolean : Found.object };
}

function scannedAt(bytes: Uint8Array, pointer: string, i = 0): { found: Found; value?: unknown } {
  const at = scanner.at(i, scanner.slotOf(pointer));
  const found = scanner.found[at] as Found;
  const [from, to] = [scanner.starts[at], scanner.ends[at]];
  if (found === Found.text || found === Found.escapedText) {
    return { found: Found.text, value: textAt(bytes, from, to, found === Found.escapedText) };
  }
  if (found === Found.number) return { found, value: JSON.parse(textAt(bytes, from, to, false)) as number };
  return { found };
}

function answersTo(batch: Batch, i: number): unknown[] {
  return [scanner.isValid(i), ...pointers.map((pointer) => scannedAt(batch.bytes, pointer, i))];
}

/** The text stands between others, as a line in a batch does, so that reading beyond either end shows. */
function agrees(text: string, before = '"', after = '1"}]'): void {
  const start = Buffer.byteLength(before);
  const bytes = new Uint8Array(Buffer.from(before + text + after));
  const end = bytes.length - Buffer.byteLength(after);
  let document: unknown;
  let valid = true;
  try {
    document = JSON.parse(text);
  } catch {
    valid = false;
  }
  assert.equal(scanner.scan(bytes, start, end), valid, JSON.stringify(text));
  if (!valid) return;
  for (const pointer of pointers) {
    assert.deepEqual(
      scannedAt(bytes, pointer),
      parsedAt(document, pointer),
      `${pointer} of ${JSON.stringify(text)}`,
    );
  }
}

/** A cut may have halved a surrogate pair, which no bytes can spell. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

const runs = { numRuns: Number(process.env.HAPAX_FUZZ_RUNS ?? 3_000) };

const space = fc.constantFrom('', '', '', ' ', '\t', '\n', '\r', ' \r\n ', '\u00a0', '\ufeff', '\f', '\0');
const goodSpace = fc.constantFrom('', '', '', ' ', '\t', '\n\r ');
const key = fc.constantFrom(
  'a',
  'b',
  '0',
  '1',
  '',
  '__proto__',
  'é',
  'a/b',
  '\\u0061',
  '\\u00e9',
  '\\u00E9',
  '\\ud800',
  'a\\/b',
  'ab',
  'aa',
  '\\u0030',
);
const scalar = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '1.50',
    '1e5',
    '-1E+400',
    '18446744073709551615',
    '12345678901234567890123',
    '0.1e-7',
    'true',
    'false',
    'null',
  ),
  fc.constantFrom(
    '"x"',
    '""',
    '"é"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\u0000"',
    '"a\\\\"',
    '"\\\\\\""',
    '"{[,:]}"',
    '"longer than four bytes"',
  ),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.double().map((n) => JSON.stringify(n)),
);
const json = (blank: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      scalar,
      fc
        .array(fc.tuple(blank, key, blank, tie('value'), blank), { maxLength: 6 })
        .map((members) => `{${members.map(([w, k, x, v, y]) => `${w}"${k}"${x}:${v}${y}`).join(',')}}`),
      fc
        .array(fc.tuple(blank, tie('value'), blank), { maxLength: 4 })
        .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
    ),
  })).value;

test('every valid JSON text gets the answer of JSON.parse', () => {
  fc.assert(
    fc.property(json(goodSpace), goodSpace, (text, blank) => agrees(blank + text + blank)),
    runs,
  );
});

test('texts with odd blanks are taken or refused as JSON.parse does', () => {
  fc.assert(
    fc.property(json(space), space, (text, blank) => agrees(text + blank)),
    runs,
  );
});

test('truncated texts are refused where JSON.parse refuses them', () => {
  fc.assert(
    fc.property(json(goodSpace), fc.nat(), fc.string(), (text, cut, after) =>
      agrees(wellFormed(text.slice(0, cut % (text.length + 1))), '', after),
    ),
    runs,
  );
});

test('mutated texts are taken or refused as JSON.parse does', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '"',
      '\\',
      ',',
      ':',
      '{',
      '}',
      '[',
      ']',
      '0',
      '-',
      '+',
      '.',
      'e',
      'E',
      't',
      'nul',
      'u',
      '\\u',
      '\\ud8',
      '/',
      '\0',
      '\u001f',
      '\u007f',
      '\u2028',
      '\ufeff',
      'NaN',
      'Infinity',
      "'",
      '//',
    ),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(json(goodSpace), fc.nat(), fc.nat(3), piece, (text, at, removed, inserted) => {
      const p = at % (text.length + 1);
      agrees(wellFormed(text.slice(0, p) + inserted + text.slice(p + removed)));
    }),
    { numRuns: runs.numRuns * 3 },
  );
});

for (const text of [
  '',
  ' ',
  'NaN',
  'undefined',
  '-',
  '-a',
  '01',
  '1.',
  '.5',
  '1e',
  '1e+',
  '+1',
  '0x1',
  '1 2',
  'tru',
  'truE',
  'true1',
  'nulll',
  'fals',
  '"',
  '"\\',
  '"\\u12',
  '"\\x41"',
  '"\\u00zz"',
  '"a\nb"',
  '"a\u0000b"',
  '"\u007f"',
  "'a'",
  '[',
  '[1',
  '[1,',
  '[1,]',
  '[,1]',
  '[1 2]',
  '[1}',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '{,}',
  '{a:1}',
  '{"a" 1}',
  '{"a":1]',
  '{"a"::1}',
  '{1:1}',
  '{}{}',
  '[]]',
  '\ufeff{}',
  '{}\ufeff',
  '/**/1',
  '{"a":{"b":[1]},"a":2}',
  '{"a":{"b":[1]},"a":{}}',
  '{"a":{"b":[1]},"a":{"b":{}}}',
  '{"a":1,"a":{"b":["x"]}}',
  '{"b":[0,{"a":1}],"b":[0]}',
  '{"b":[0,{"a":1},{"a":2}]}',
  '{"b":{"1":{"a":"key, not index"}}}',
  '{"a":{"b":{"0":"key"}}}',
  '[[1],[2]]',
  '{"":""}',
  '{"__proto__":"x"}',
  '{"\\u0061":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"\\ud800":1}',
  '{"\ufffd":1}',
  '{"0":1}',
  '["zero"]',
  '{"a":{"a":{"b":3}},"b":4}',
]) {
  test(`the answer to ${JSON.stringify(text)} is that of JSON.parse`, () => agrees(text));
}

test('100,000 levels need no stack', () => {
  const deep = 100_000;
  const text = `{"b":${'['.repeat(deep)}${']'.repeat(deep)},"a":"here"}`;
  const bytes = new Uint8Array(Buffer.from(text));
  assert.ok(scanner.scan(bytes, 0, bytes.length));
  assert.deepEqual(scannedAt(bytes, '/a'), { found: Found.text, value: 'here' });
  assert.ok(!scanner.scan(bytes, 0, deep));
  assert.ok(!scanner.scan(bytes, 0, bytes.length - 1));
});

test('bytes before the buffer of a view are not looked at', () => {
  const bytes = new Uint8Array(Buffer.from('xxx{"a":"here"}')).subarray(3);
  assert.ok(scanner.scan(bytes, 0, bytes.length));
  assert.deepEqual(scannedAt(bytes, '/a'), { found: Found.text, value: 'here' });
});

test('texts in one batch have the answers that each has alone', () => {
  const texts = fc.array(fc.oneof(json(goodSpace), fc.string(), fc.constant('')), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(texts, (all) => {
      const batch = batchOf(all.map(wellFormed));
      assert.equal(scanner.scanBatch(batch, 0, batch.count), batch.count);
      const together = all.map((_, i) => answersTo(batch, i));
      all.forEach((text, i) => {
        const alone = batchOf([wellFormed(text)]);
        scanner.scanBatch(alone, 0, 1);
        assert.deepEqual(together[i], answersTo(alone, 0), JSON.stringify(text));
      });
    }),
    { numRuns: runs.numRuns / 10 },
  );
});

test('a batch of any size and order is read to its end, and its bytes stay as they are', () => {
  const texts = Array.from({ length: 3_000 }, (_, i) =>
    i % 1_000 === 7
      ? `{"a":"${'x'.repeat(i * 200)}","0":${i}}`
      : i % 5 === 0
        ? `{"0":${i}`
        : `{"b":[${i},${i}.5],"0":${i}}`,
  );
  const batch = batchOf(texts);
  const before = batch.bytes.slice();
  for (const order of [texts.map((_, i) => i), texts.map((_, i) => texts.length - 1 - i)]) {
    const ordered = {
      bytes: batch.bytes,
      starts: Uint32Array.from(order, (i) => batch.starts[i]),
      ends: Uint32Array.from(order, (i) => batch.ends[i]),
    };
    for (let k = 0; k < order.length;) {
      const to = scanner.scanBatch(ordered, k, order.length);
      assert.ok(to > k);
      for (; k < to; k++) {
        const isWhole = texts[order[k]].endsWith('}');
        assert.equal(scanner.isValid(k), isWhole);
        const answer = scannedAt(batch.bytes, '/0', k);
        assert.deepEqual(
          answer,
          isWhole ? { found: Found.number, value: order[k] } : { found: Found.missing },
        );
      }
    }
  }
  assert.deepEqual(batch.bytes, before);
});

test('what is forgotten is forgotten of one delivery only', () => {
  const batch = batchOf(['{"a":1}', '{"a":2}', '{"a":3}']);
  scanner.scanBatch(batch, 0, 3);
  scanner.forget(1);
  assert.deepEqual(
    [0, 1, 2].map((i) => scannedAt(batch.bytes, '/a', i).value),
    [1, undefined, 3],
  );
});

test('keys of any length are told apart, wherever they differ', () => {
  for (const length of [1, 15, 16, 17, 31, 32, 33, 100]) {
    const key = 'k'.repeat(length);
    const long = new JsonScanner([`/${key}`]);
    for (let at = 0; at <= length; at++) {
      const other = `${key.slice(0, at)}x${key.slice(at + 1)}`;
      const bytes = new Uint8Array(Buffer.from(`{"${other}":1}`));
      assert.ok(long.scan(bytes, 0, bytes.length));
      assert.equal(long.found[long.slotOf(`/${key}`)], Found.missing);
    }
    const bytes = new Uint8Array(Buffer.from(`{"${key}":1}`));
    assert.ok(long.scan(bytes, 0, bytes.length));
    assert.equal(long.found[long.slotOf(`/${key}`)], Found.number);
  }
});

test('the compiled module is what its source gives', { timeout: 240_000 }, async (t) => {
  const script = fileURLToPath(new URL('../../../../scripts/wasm.mjs', import.meta.url));
  try {
    await promisify(execFile)(process.execPath, [script, '--check'], { timeout: 220_000 });
  } catch (error) {
    // A machine without a network may do without the compiler; where everything is required, a skip is a failure.
    const { code, killed } = error as { code?: unknown; killed?: boolean };
    if ((code !== 69 && !killed) || process.env.CI === 'true') throw error;
    t.skip('the compiler is not installed and the package registry cannot be reached');
  }
});
