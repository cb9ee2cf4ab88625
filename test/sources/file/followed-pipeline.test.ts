import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock, type Clock } from '../../../src/core/clock.ts';
import { jsonIdentity } from '../../../src/core/identity/json-identity.ts';
import { createPipeline } from '../../../src/core/pipeline.ts';
import type { KnownFile } from '../../../src/sources/file/known-files.ts';
import { fileSource } from '../../../src/sources/file/source.ts';
import { memoryStore } from '../../../src/stores/memory.ts';
import { CommittingTable } from '../../../src/testing/committing-table.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';

/** It is looked for news again and again. */
const hasty: Clock = { ...systemClock, sleep: () => new Promise((resolve) => setImmediate(resolve)) };
const identity = jsonIdentity({ secret: new Uint8Array(32).fill(7), pipeline: 'followed', id: '/id' });
const lines = (...ids: number[]) => ids.map((id) => `{"id":${id}}\n`).join('');

describe('a pipeline that follows files', () => {
  let folder: string;
  let world: World;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hapax-followed-'));
    world = new World(`${folder}/*.log*`);
  });
  afterEach(async () => {
    await world.stop();
    await rm(folder, { recursive: true });
  });
  const at = (name: string) => join(folder, name);

  test('a file that is rotated by its name, again and again: each event is emitted once', async () => {
    await writeFile(at('a.log'), lines(1, 2));
    world.start();
    await world.emitted(2);
    for (const id of [3, 5, 7]) {
      await appendFile(at('a.log'), lines(id));
      await rename(at('a.log.1'), at('a.log.2')).catch(() => undefined);
      await rename(at('a.log'), at('a.log.1'));
      await writeFile(at('a.log'), lines(id + 1, 1));
      if (id === 5) await world.stop();
      if (id === 5) world.start();
      await world.emitted(id + 1);
    }
    await world.stop();
    assert.deepEqual(world.ids.sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('a file that is truncated, while it is followed and while nobody is there', async () => {
    await writeFile(at('a.log'), lines(1, 2, 3));
    world.start();
    await world.emitted(3);
    await writeFile(at('a.log'), lines(4));
    await world.emitted(4);
    await world.stop();
    await writeFile(at('a.log'), lines(5, 6, 7, 8, 9));
    world.start();
    await world.emitted(9);
    await appendFile(at('a.log'), lines(10));
    await world.emitted(10);
    await world.stop();
    assert.deepEqual(world.ids, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.equal(world.duplicates, 0);
  });

  test('what was known is lost: the marks know what is read once more', async () => {
    await writeFile(at('a.log'), lines(1, 2, 3));
    world.start();
    await world.emitted(3);
    await world.stop();
    world.knownFiles.clear();
    await appendFile(at('a.log'), lines(4));
    world.start();
    await world.emitted(4);
    await world.stop();
    assert.deepEqual(world.ids, [1, 2, 3, 4]);
    assert.equal(world.duplicates, 3);
  });

  test('a file that goes and comes back, and another one that stays', async () => {
    await writeFile(at('a.log'), lines(1));
    await writeFile(at('b.log'), lines(2));
    world.start();
    await world.emitted(2);
    await rename(at('a.log'), at('aside'));
    await world.told('retired');
    await appendFile(at('aside'), lines(3));
    await rename(at('aside'), at('a.log'));
    await appendFile(at('b.log'), lines(4));
    await world.emitted(4);
    await unlink(at('b.log'));
    await world.stop();
    assert.deepEqual(world.ids.sort(), [1, 2, 3, 4]);
  });
});

/** What outlives the workers, and a worker. */
class World {
  readonly knownFiles = new Map<string, KnownFile>();
  readonly #clock = new ManualClock();
  readonly #table = new CommittingTable({ clock: this.#clock });
  readonly #store = memoryStore({ windowMs: 3_600_000, clock: this.#clock });
  readonly #glob: string;
  readonly #notices: string[] = [];
  duplicates = 0;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(glob: string) {
    this.#glob = glob;
  }

  get ids(): number[] {
    return this.#table.rows.map(
      ({ payload }) => (JSON.parse(Buffer.from(payload).toString()) as { id: number }).id,
    );
  }

  start(): void {
    const source = fileSource({
      globs: [this.#glob],
      follow: true,
      knownFiles: this.knownFiles,
      clock: hasty,
      chunkSizeMax: 16,
    });
    const pipeline = createPipeline({
      source,
      identity,
      store: this.#store,
      sink: this.#table.connect().sink,
      clock: this.#clock,
      random: () => 0.5,
      notify: ({ type }) => this.#notices.push(type),
    });
    this.#stop = new AbortController();
    this.#running = pipeline.run(this.#stop.signal).then(async ({ duplicate }) => {
      this.duplicates = duplicate;
      await source.close();
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  emitted(count: number): Promise<void> {
    return this.#until(() => this.#table.rows.length >= count);
  }

  told(type: string): Promise<void> {
    return this.#until(() => this.#notices.includes(type));
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await Promise.race([this.#running, new Promise((resolve) => setImmediate(resolve))]);
  }
}
