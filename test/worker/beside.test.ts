import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, test, type TestContext } from 'node:test';
import { ended, hapax, start } from '../cli/hapax.ts';
import { Site, until } from './ops-site.ts';

const first = (n: number) => `{"id":${n},"body":"first"}\n`;
const second = (n: number) => `{"id":${n},"body":"second"}\n`;
const each = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n));

type Carried = Readonly<Record<'received' | 'first' | 'duplicate' | 'conflict' | 'emitted' | 'dead_lettered' | 'in_flight', number>> & { readonly complete: boolean }; // prettier-ignore

const redrive = (site: Site, ...more: string[]) => [
  'dead-letters',
  'redrive',
  site.config,
  '--json',
  ...more,
];
const replay = (site: Site, ...more: string[]) =>
  ['replay', site.config, '--as', 'again', '--reason', 'a test', '--sink', 'again.ndjson', '--json', ...more]; // prettier-ignore

async function carried(args: readonly string[]): Promise<Carried> {
  const { code, out, err } = await hapax(args);
  assert.equal(code, 0, err);
  return JSON.parse(out.toString()) as Carried;
}

/** Each event came with two bodies: as many dead letters as events. */
async function withLetters(t: TestContext, count: number): Promise<Site> {
  const site = await Site.open(t);
  await writeFile(
    site.config,
    (await site.read('hapax.yaml')).replace('scope: []', 'scope: [], body_check: true'),
  );
  await writeFile(site.at('events.ndjson'), [...each(count, first), ...each(count, second)].join(''));
  return site;
}

async function withEvents(t: TestContext, count: number): Promise<Site> {
  const site = await Site.open(t);
  await writeFile(site.at('events.ndjson'), each(count, first).join(''));
  return site;
}

async function sorted(site: Site, name: string): Promise<string[]> {
  return (await site.read(name)).split(/(?<=\n)/).sort();
}

/** It has something in it. */
const grows = (path: string, from = 0) =>
  until(async () => (await stat(path).then(({ size }) => size, () => 0)) > from); // prettier-ignore

async function ends(site: Site, worker: Awaited<ReturnType<Site['work']>>): Promise<void> {
  worker.kill('SIGTERM');
  assert.deepEqual(await once(worker, 'exit'), [0, null]);
  assert.equal((await site.status()).running, false);
}

describe('dead letters are redriven beside a worker', () => {
  test('with the same counts and outputs as without one, and the worker reads on', async (t) => {
    const came = await Promise.all(
      [true, false].map(async (isBeside) => {
        const site = await withLetters(t, 3);
        const worker = await site.work(6);
        if (!isBeside) await ends(site, worker);
        const one = await carried(redrive(site, '--id', '1'));
        const all = await carried(redrive(site, '--code', 'conflict'));
        const forced = await carried(redrive(site, '--code', 'conflict', '--force'));
        const reader = isBeside ? worker : await site.work();
        await site.append('events.ndjson', 'last');
        await until(async () => (await site.read('unique.ndjson')).includes('"last"'));
        const unique = await site.read('unique.ndjson');
        const attempts = (await site.read('dead.ndjson')).match(/"attempt":\d/g);
        const { moved } = await site.json<{ moved: unknown[] }>('rewind', '--all', '--to', 'start');
        assert.equal(moved.length, 1, 'what is redriven is nowhere to be read again');
        await ends(site, reader);
        return { one, all, forced, unique, attempts };
      }),
    );
    assert.deepEqual(came[0], came[1]);
    const { one, all, forced } = came[0];
    assert.deepEqual([one.received, one.conflict, one.dead_lettered, one.complete], [1, 1, 1, true]);
    assert.deepEqual([all.received, all.conflict], [4, 4]);
    // Of several letters of one event one is the first.
    assert.deepEqual([forced.received, forced.first, forced.emitted, forced.duplicate], [8, 3, 3, 5]);
  });

  for (const killed of ['command', 'worker'] as const)
    test(`the ${killed} is killed, and the same again loses and repeats nothing`, async (t) => {
      const count = 20_000;
      const site = await withLetters(t, count);
      const worker = await site.work(2 * count);
      const { size } = await stat(site.at('unique.ndjson'));
      const command = start(redrive(site, '--all', '--force'));
      const end = ended(command);
      // So much that some of it is committed.
      await grows(site.at('unique.ndjson'), size + 2_500 * second(count).length);
      (killed === 'command' ? command : worker).kill('SIGKILL');
      const { code, err } = await end;
      if (killed === 'worker' && code !== 0) assert.match(err, /HPX-S010/);
      // All of them were forgotten before the first was sent on.
      const { in_flight, emitted, complete } = await carried(redrive(site, '--all'));
      assert.deepEqual([in_flight, complete], [0, true]);
      assert.ok(emitted < count, 'some were done before');
      assert.deepEqual(await sorted(site, 'unique.ndjson'), [...each(count, first), ...each(count, second)].sort()); // prettier-ignore
    });

  test('two at once come one after the other', async (t) => {
    const site = await withLetters(t, 2_000);
    await site.work(4_000);
    const both = await Promise.all([carried(redrive(site, '--all')), carried(redrive(site, '--id', '7'))]);
    assert.deepEqual(both.map(({ complete }) => complete), [true, true]); // prettier-ignore
    assert.ok(both[0].received >= 2_000 && both[1].received >= 1);
    const { books } = await site.status();
    assert.equal(books.received, 4_000 + both[0].received + both[1].received);
  });
});

describe('a replay beside a worker', () => {
  test('gives the same as without one, and leaves the pipeline as it was', async (t) => {
    const site = await withEvents(t, 1_000);
    const worker = await site.work(1_000);
    const before = await site.status();
    const beside = await carried(replay(site));
    assert.equal(await site.read('again.ndjson'), await site.read('unique.ndjson'));
    const { books, partitions } = await site.status();
    assert.deepEqual([books, partitions], [before.books, before.partitions]);
    await ends(site, worker);
    const without = await carried(replay(site, '--as', 'other', '--sink', 'other.ndjson'));
    assert.deepEqual(beside, without);
    assert.equal(await site.read('other.ndjson'), await site.read('again.ndjson'));
    const more = await carried(replay(site));
    assert.deepEqual([more.emitted, more.complete], [1_000, true], 'done, it does nothing more');
    assert.equal(await site.read('again.ndjson'), await site.read('other.ndjson'));
  });

  test('does not write to an output of the pipeline', async (t) => {
    const site = await withEvents(t, 1);
    await site.work(1);
    for (const sink of ['unique.ndjson', 'dead.ndjson']) {
      const { code, err } = await hapax(replay(site, '--sink', sink));
      assert.deepEqual([code, /HPX-\w+/.exec(err)?.[0]], [78, 'HPX-O007'], err);
    }
  });

  const count = 300_000;
  for (const killed of ['command', 'worker'] as const)
    test(`the ${killed} is killed, and the same again goes on where it was`, async (t) => {
      const site = await withEvents(t, count);
      const worker = await site.work(count);
      const command = start(replay(site));
      const end = ended(command);
      await grows(site.at('again.ndjson'));
      (killed === 'command' ? command : worker).kill('SIGKILL');
      const { code, err } = await end;
      if (killed === 'worker' && code !== 0) assert.match(err, /HPX-S010/);
      const { emitted, complete } = await carried(replay(site));
      assert.deepEqual([emitted, complete], [count, true]);
      assert.ok((await readFile(site.at('again.ndjson'))).equals(await readFile(site.at('events.ndjson'))));
      if (killed === 'worker') return;
      assert.match(await site.read('state/replays.ndjson'), /"replay.(?:stopped|ended)".*\n.*started/);
      await ends(site, worker);
    });

  for (const stopped of ['command', 'worker'] as const)
    test(`SIGTERM of the ${stopped} stops it cleanly`, async (t) => {
      const site = await withEvents(t, count);
      const worker = await site.work(count);
      const command = start(replay(site));
      const end = ended(command);
      await grows(site.at('again.ndjson'));
      (stopped === 'command' ? command : worker).kill('SIGTERM');
      const { code, out, err } = await end;
      const isDone = out.toString().includes('"complete":true');
      if (!isDone) assert.match(err, /stopped before the end: the same command goes on/);
      assert.equal(code, stopped === 'command' || isDone ? 0 : 1, err);
      if (stopped === 'worker') assert.deepEqual(worker.exitCode === null ? await once(worker, 'exit') : [worker.exitCode, null], [0, null]); // prettier-ignore
      assert.equal((await carried(replay(site))).emitted, count);
      assert.ok((await readFile(site.at('again.ndjson'))).equals(await readFile(site.at('events.ndjson'))));
    });
});
