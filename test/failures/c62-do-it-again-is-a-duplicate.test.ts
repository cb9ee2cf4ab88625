import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { assemble } from '../../src/config/assemble.ts';
import { openHost } from '../../src/config/host.ts';
import { load, type Configuration } from '../../src/config/load.ts';
import { replay } from '../../src/config/replay.ts';
import { HapaxError } from '../../src/core/errors.ts';
import { createPipeline, type Summary } from '../../src/core/pipeline.ts';
import type { ReplayRequest } from '../../src/worker/operations.ts';

const never = new AbortController().signal;
const request: ReplayRequest = { as: 'refund', reason: 'the warehouse lost a day', sink: 'again.ndjson' };
const event = (id: number, hour: number) =>
  `{"id":${id},"time":"2026-11-30T${String(hour).padStart(2, '0')}:00:00Z"}\n`;
/** Ten hours, each of its events twice. */
const events = Array.from({ length: 10 }, (_, hour) => event(hour, hour) + event(hour, hour)).join('');
const once = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, k) => event(from + k, from + k)).join('');

async function site(
  t: TestContext,
  more = '',
): Promise<{ configuration: Configuration; read: (name: string) => Promise<string> }> {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-replay-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'events.ndjson'), events);
  await writeFile(
    join(folder, 'hapax.yaml'),
    `pipeline: orders
source: { file: { path: events.ndjson } }
identity: { id: /id${more} }
store: { file: { path: state } }
sink: { file: { path: unique.ndjson } }
dead_letter: { file: { path: dead.ndjson } }
`,
  );
  const loaded = await load(join(folder, 'hapax.yaml'), {});
  assert.ok(loaded.type === 'settings', JSON.stringify(loaded.problems));
  return { configuration: loaded, read: (name) => readFile(join(folder, name), 'utf8') };
}

async function run(configuration: Configuration): Promise<Summary> {
  const assembly = await assemble(configuration);
  try {
    return await createPipeline(assembly.options).run();
  } finally {
    await assembly.close();
  }
}

async function again(configuration: Configuration, what: ReplayRequest, signal = never): Promise<Summary> {
  const host = await openHost(configuration);
  try {
    return await replay(configuration, what, host, { signal, watch: () => undefined });
  } finally {
    await host.close();
  }
}

describe('C62: "do it again" is answered with "duplicate"', () => {
  test('a replay gives each event once more, for its name, and leaves the pipeline as it was', async (t) => {
    const { configuration, read } = await site(t);
    const before = await run(configuration);
    const { emitted, duplicate } = await again(configuration, request);
    assert.deepEqual({ emitted, duplicate }, { emitted: 10, duplicate: 10 });
    assert.equal(await read('again.ndjson'), once(0, 10));
    assert.equal(await read('unique.ndjson'), once(0, 10));
    assert.deepEqual(await run(configuration), before, 'nothing of the pipeline has moved');
  });

  test('the same request again does nothing more, another name does it all', async (t) => {
    const { configuration, read } = await site(t);
    await again(configuration, request);
    await again(configuration, request);
    assert.equal(await read('again.ndjson'), once(0, 10));
    await again(configuration, { ...request, as: 'audit', sink: 'audit.ndjson' });
    assert.equal(await read('audit.ndjson'), once(0, 10));
  });

  test('what was stopped goes on', async (t) => {
    const { configuration, read } = await site(t);
    await again(configuration, request, AbortSignal.abort());
    await again(configuration, request);
    assert.equal(await read('again.ndjson'), once(0, 10));
  });

  test('a range goes by the times of the events, and is refused where they tell none', async (t) => {
    const hours = { from: Date.UTC(2026, 10, 30, 3), to: Date.UTC(2026, 10, 30, 6) };
    const { configuration, read } = await site(t, ', event_time: /time');
    const { received, emitted } = await again(configuration, { ...request, ...hours });
    assert.deepEqual({ received, emitted }, { received: 6, emitted: 3 });
    assert.equal(await read('again.ndjson'), once(3, 6));
    const { configuration: timeless } = await site(t);
    const isRefused = (error: unknown) => error instanceof HapaxError && error.code === 'HPX-C020';
    await assert.rejects(again(timeless, { ...request, ...hours }), isRefused);
  });

  test('what could not be given again, or would spoil an output, is refused', async (t) => {
    const isRefused = (code: string) => (error: unknown) =>
      error instanceof HapaxError && error.code === code;
    const { configuration } = await site(t);
    for (const sink of ['unique.ndjson', 'dead.ndjson', './unique.ndjson'])
      await assert.rejects(again(configuration, { ...request, sink }), isRefused('HPX-O007'));
    for (const sink of ['state/again.ndjson', 'again.ndjson.gz', configuration.settings.source.path[0]])
      await assert.rejects(
        again(configuration, { ...request, sink }),
        isRefused(sink.endsWith('.gz') ? 'HPX-O007' : 'HPX-C006'),
      );
    const { source } = configuration.settings;
    const piped = { ...configuration.settings, source: { ...source, path: ['-'] } };
    await assert.rejects(again({ ...configuration, settings: piped }, request), isRefused('HPX-I001'));
  });

  test('why it was done is kept', async (t) => {
    const { configuration, read } = await site(t);
    await again(configuration, request);
    assert.match(await read('state/replays.ndjson'), /"as":"refund","reason":"the warehouse lost a day"/);
  });
});
