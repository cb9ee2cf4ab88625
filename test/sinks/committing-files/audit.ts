import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openCommittingFiles } from '../../../src/sinks/committing-files.ts';
import { booksBelow, faceOf, keepMs, lineOf, partitions, type Face } from './stream.ts';

/** What the worker said last of its epochs and checkpoints. */
export interface Word {
  readonly epochs: readonly number[];
  readonly checkpoints: readonly number[];
}

/**
 * Looks at the files as the next process finds them: each is exactly the input below the checkpoints, nothing that was
 * said is gone, and the books agree. Answers the checkpoints.
 */
export async function audit(folder: string, said: Word): Promise<readonly number[]> {
  const copy = await mkdtemp(join(dirname(folder), 'audit-'));
  await cp(folder, copy, { recursive: true });
  const { sink } = await openCommittingFiles({
    path: join(copy, 'unique.ndjson'),
    duplicates: { path: join(copy, 'duplicates.ndjson') },
    deadLetters: { path: join(copy, 'dead.ndjson'), keepMs },
  });
  const taken = await sink.take(partitions.map((partition) => ({ partition, above: 0 })));
  const checkpoints = taken.map(({ checkpoint = 0 }) => checkpoint);
  taken.forEach(({ epoch, totals }, i) => {
    assert.ok(epoch > (said.epochs[i] ?? 0), 'an epoch came again');
    assert.ok(checkpoints[i] >= (said.checkpoints[i] ?? 0), 'a commit is gone');
    assert.deepEqual(totals, booksBelow(checkpoints[i]));
  });
  for (const face of ['sink', 'duplicates', 'deadLetters'] as const)
    assertExact(await contentOf(copy, face), face, checkpoints);
  await sink.close();
  await rm(copy, { recursive: true });
  return checkpoints;
}

function assertExact(content: string, face: Face, checkpoints: readonly number[]): void {
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const found = partitions.map((): string[] => []);
  for (const line of lines) found[(JSON.parse(line) as { partition: number }).partition].push(line);
  found.forEach((own, partition) => {
    const expected = Array.from({ length: checkpoints[partition] }, (_, n) => n)
      .filter((n) => faceOf(n) === face)
      .map((n) => lineOf(partition, n));
    // Old dead letters are removed, the newest are there.
    const kept = face === 'deadLetters' ? expected.slice(expected.length - own.length) : expected;
    assert.deepEqual(own, kept, `${face} of partition ${partition}`);
    assert.ok(own.length > 0 || expected.length === 0);
  });
}

async function contentOf(folder: string, face: Face): Promise<string> {
  if (face !== 'deadLetters')
    return readFile(join(folder, face === 'sink' ? 'unique.ndjson' : 'duplicates.ndjson'), 'utf8');
  const names = (await readdir(folder)).filter((name) => name.startsWith('dead-')).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return contents.map((content) => content.replace(/[^\n]$/, '$&\n')).join('');
}
