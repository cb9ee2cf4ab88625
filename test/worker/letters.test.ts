import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { filesOf, lettersIn, purge, type StoredLetter } from '../../src/worker/letters.ts';

const root = await mkdtemp(join(tmpdir(), 'hapax-letters-'));
after(() => rm(root, { recursive: true }));

const line = (code: string, body = code) =>
  `${JSON.stringify({ code, reason: '', source: 'file', partition: 'a', offset: 0, time: '', attempt: 1, headers: [], body })}\n`;

async function all(files: readonly string[]): Promise<StoredLetter[]> {
  const letters: StoredLetter[] = [];
  for await (const letter of lettersIn(files)) letters.push(letter);
  return letters;
}

test('letters are found in one file, and in a series by its times', async () => {
  const path = join(root, 'dead.ndjson');
  await writeFile(join(root, 'dead-20261130T14Z.ndjson'), line('third'));
  await writeFile(join(root, 'dead-20261129T14Z.ndjson'), line('second'));
  await writeFile(join(root, 'dead-letters.ndjson'), line('of another output'));
  await writeFile(
    path,
    `${line('first')}{"id":"no letter"}\n\nnot even JSON\n${line('unfinished').slice(0, -1)}`,
  );
  const letters = await all(await filesOf(path));
  assert.deepEqual(
    letters.map(({ letter }) => letter.code),
    ['first', 'second', 'third'],
  );
  assert.deepEqual(await filesOf(join(root, 'nothing.ndjson')), []);
});

test('a letter that is purged leaves nothing of itself and moves nothing', async () => {
  const path = join(root, 'purged.ndjson');
  const text = line('first', 'ä'.repeat(10)) + line('second', 'secret') + line('third');
  await writeFile(path, text);
  const [, second] = await all([path]);
  await purge([second]);
  const left = await readFile(path);
  assert.equal(left.length, Buffer.byteLength(text));
  assert.ok(!left.toString().includes('secret'));
  assert.deepEqual(
    (await all([path])).map(({ letter }) => letter.code),
    ['first', 'third'],
  );
});

test('letters longer than one read are whole', async () => {
  const path = join(root, 'long.ndjson');
  const bodies = [3_000_000, 10, 1_048_576].map((size) => 'x'.repeat(size));
  await writeFile(path, bodies.map((body) => line('long', body)).join(''));
  assert.deepEqual(
    (await all([path])).map(({ letter }) => letter.body?.length),
    bodies.map(({ length }) => length),
  );
});
