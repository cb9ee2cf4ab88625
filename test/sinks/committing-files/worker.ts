import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch } from '../../../src/core/event.ts';
import { openCommittingFiles } from '../../../src/sinks/committing-files.ts';
import { batchOf, framedBatchOf, outgoing } from '../../../src/testing/batches.ts';
import { seeded } from '../../../src/core/chance.ts';
import {
  booksBelow,
  faceOf,
  hasLineFeed,
  keepMs,
  lineOf,
  partitions,
  partitionSize,
  timeAt,
  type Face,
} from './stream.ts';

// Writes the input from where its checkpoints are to its end, unless it ends itself before:
// worker.js FOLDER [CRASH-POINT HIT]
const [folder, crashPoint, hit] = process.argv.slice(2);
const { signal } = new AbortController();
let hits = 0;
let checkpoints = partitions.map(() => 0);
let epochs: readonly number[] = [];

const files = await openCommittingFiles({
  path: join(folder, 'unique.ndjson'),
  duplicates: { path: join(folder, 'duplicates.ndjson') },
  deadLetters: { path: join(folder, 'dead.ndjson'), keepMs },
  clock: { now: () => timeAt(checkpoints), monotonic: () => timeAt(checkpoints) },
  crashPoint: (name) => {
    if (name !== crashPoint || ++hits < Number(hit)) return;
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  },
});

function say(what: unknown): void {
  writeSync(1, `${JSON.stringify(what)}\n`);
}

async function take(): Promise<void> {
  const taken = await files.sink.take(partitions.map((partition) => ({ partition, above: 0 })));
  epochs = taken.map(({ epoch }) => epoch);
  checkpoints = taken.map(({ checkpoint = 0 }) => checkpoint);
  say({ epochs, checkpoints });
}

function batchFor(face: Face, partition: number, numbers: readonly number[]): Batch {
  const lines = numbers.map((n) => lineOf(partition, n));
  if (face === 'deadLetters') return batchOf(lines);
  const last = numbers.length - 1;
  return framedBatchOf(lines.map((line, i) => (i < last || hasLineFeed(numbers[i]) ? `${line}\n` : line)));
}

/** A part of each partition, the faces side by side, as the engine does it. */
async function stage(ends: readonly number[]): Promise<void> {
  await Promise.all(
    ends.flatMap((end, partition) =>
      (['sink', 'duplicates', 'deadLetters'] as const).map(async (face) => {
        const from = checkpoints[partition];
        const numbers = Array.from({ length: end - from }, (_, i) => from + i);
        const going = numbers.filter((n) => faceOf(n) === face);
        for (const part of [going.slice(0, 5), going.slice(5)])
          if (part.length > 0) await files[face]!.write(outgoing(batchFor(face, partition, part)), signal);
      }),
    ),
  );
}

async function commit(ends: readonly number[]): Promise<void> {
  const commits = ends.map((checkpoint, i) => ({
    partition: partitions[i],
    epoch: epochs[i],
    checkpoint,
    totals: booksBelow(checkpoint),
  }));
  const { fenced } = await files.sink.commit(commits);
  if (fenced.length > 0) throw new Error('fenced');
  checkpoints = [...ends];
  say({ epochs, checkpoints });
}

await take();
for (let round = 1; checkpoints.some((checkpoint) => checkpoint < partitionSize); round++) {
  const chance = seeded(timeAt(checkpoints));
  const ends = checkpoints.map((checkpoint) => Math.min(partitionSize, checkpoint + chance.pick(20)));
  await stage(ends);
  if (round % 3 === 0) {
    await files.sink.abort();
    await stage(ends);
  }
  await commit(ends);
  if (round % 5 === 0) await take();
}
await files.sink.close();
say('done');
