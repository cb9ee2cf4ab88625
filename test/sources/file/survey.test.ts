import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { knownAs, type KnownFile } from '../../../src/sources/file/known-files.ts';
import { surveyFiles } from '../../../src/sources/file/survey.ts';

test('a survey tells what a source would read: partitions, sizes and ages, in its order', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-survey-'));
  t.after(() => rm(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  for (const [name, text] of [
    ['b.log', 'bb'],
    ['a.log', 'a'],
    ['c.log.gz', 'ccc'],
    ['other', 'x'],
  ])
    // prettier-ignore
    await writeFile(at(name), text);
  await mkdir(at('d.log'));
  await utimes(at('a.log'), 1_000, 1_000);
  const wanted = { paths: [at('other'), '-', at('missing')], globs: [at('*.log*')] };
  const known = new Map<string, KnownFile>();
  const survey = await surveyFiles(wanted, known);
  assert.deepEqual(
    survey.map(({ partition, size, isCompressed }) => [partition, size, isCompressed]),
    [
      [at('other'), 1, false],
      [at('a.log'), 1, false],
      [at('b.log'), 2, false],
      [at('c.log.gz'), 3, true],
    ],
  );
  assert.equal(survey[1].modifiedAt, 1_000_000);

  const { ino } = await stat(at('b.log'));
  known.set(at('b.log'), knownAs(at('b.log'), ino, Buffer.from('bb')));
  await rename(at('b.log'), at('e.log'));
  const [, , , renamed] = await surveyFiles(wanted, known);
  assert.deepEqual([renamed.partition, renamed.path], [at('b.log'), at('e.log')], 'it keeps its name');
  assert.deepEqual([...known.keys()], [at('b.log')], 'and nothing new is noted');
});
