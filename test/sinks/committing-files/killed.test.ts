import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { crashPoints, type CrashPoint } from '../../../src/sinks/committing-files.ts';
import { seeded } from '../../../src/core/chance.ts';
import { audit, type Word } from './audit.ts';
import { partitions, partitionSize } from './stream.ts';

const program = fileURLToPath(new URL('./worker.js', import.meta.url));
const nothing: Word = { epochs: [], checkpoints: [] };
const everything = partitions.map(() => partitionSize);

interface End {
  readonly signal: string | null;
  readonly said: Word;
  readonly isDone: boolean;
}

/** Runs a worker to its end, whatever brings it about. */
async function work(folder: string, how: { crash?: [CrashPoint, number]; killAfter?: number }): Promise<End> {
  const child = spawn(process.execPath, [program, folder, ...(how.crash ?? []).map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<string | null>((resolve) => {
    child.once('exit', (_code, signal) => {
      resolve(signal);
    });
  });
  let said = nothing;
  let isDone = false;
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const word = JSON.parse(line) as Word | 'done';
    if (word === 'done') isDone = true;
    else said = word;
    if (++count === how.killAfter) child.kill('SIGKILL');
  }
  return { signal: await ended, said, isDone };
}

describe('committing files of a process that is killed', { concurrency: 4 }, () => {
  let root: string;
  before(async () => (root = await mkdtemp(join(tmpdir(), 'hapax-killed-'))));
  after(() => rm(root, { recursive: true }));

  async function newFolder(name: string): Promise<string> {
    const folder = join(root, name);
    await mkdir(folder);
    return folder;
  }

  async function finish(folder: string): Promise<void> {
    const { isDone, said } = await work(folder, {});
    assert.ok(isDone);
    assert.deepEqual(await audit(folder, said), everything);
  }

  for (const point of crashPoints)
    test(`${point}: the output is the input up to the checkpoints`, async () => {
      const folder = await newFolder(point);
      for (const hit of /^(?:start|close)/.test(point) ? [1, 1] : [1, 3]) {
        const { signal, said } = await work(folder, { crash: [point, hit] });
        assert.equal(signal, 'SIGKILL', `hit ${hit} of ${point} never came`);
        await audit(folder, said);
      }
      await finish(folder);
    });

  test('at any time: the output is the input up to the checkpoints', async () => {
    const chance = seeded(1);
    let folder = await newFolder('any-time-0');
    for (let kill = 1; kill <= 15; kill++) {
      const { said, isDone } = await work(folder, { killAfter: 1 + chance.pick(8) });
      const checkpoints = await audit(folder, said);
      if (isDone) assert.deepEqual(checkpoints, everything);
      if (isDone) folder = await newFolder(`any-time-${kill}`);
    }
    await finish(folder);
  });
});
