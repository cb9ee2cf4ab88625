import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { hapax } from './hapax.ts';

const events = ['{"id":"a"}', '{"no":"id"}', '{"id":"b","secret":1}', '{"id":"b","secret":2}', '{"id":"c"}'];

/** A pipeline that ran once: b came with another body, and one event has no id. */
async function site(t: TestContext): Promise<{ config: string; read: (name: string) => Promise<string> }> {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-letters-'));
  t.after(() => rm(folder, { recursive: true }));
  const config = join(folder, 'hapax.yaml');
  await writeFile(join(folder, 'events.ndjson'), `${events.join('\n')}\n`);
  await writeFile(
    config,
    `pipeline: orders
source: { file: { path: events.ndjson } }
identity: { id: /id, body_check: true }
store: { file: { path: state } }
sink: { file: { path: unique.ndjson } }
dead_letter: { file: { path: dead.ndjson } }
`,
  );
  const { code, err } = await hapax(['run', config, '--quiet']);
  assert.equal(code, 0, err);
  return { config, read: (name) => readFile(join(folder, name), 'utf8') };
}

const list = async (config: string, ...more: string[]) => {
  const { code, out, err } = await hapax(['dead-letters', 'list', config, '--json', ...more]);
  assert.equal(code, 0, err);
  const lines = out.toString().split('\n').filter(Boolean);
  return lines.map(
    (line) => JSON.parse(line) as { code: string; reason: string; attempt: number; settled: boolean | null },
  );
};

describe('hapax dead-letters', () => {
  test('list tells where they came from and why they are there, never what is in them', async (t) => {
    const { config } = await site(t);
    assert.deepEqual(
      (await list(config)).map(({ code, attempt }) => [code, attempt]),
      [
        ['unidentified', 1],
        ['conflict', 1],
      ],
    );
    assert.equal((await list(config, '--id', 'b')).length, 1);
    assert.equal((await list(config, '--code', 'rejected')).length, 0);
    const { out, err } = await hapax(['dead-letters', 'list', config, '--limit', '1']);
    assert.match(out.toString(), /unidentified \(missing\) {2}\S*events.ndjson at 11 {2}attempt 1\n$/);
    assert.match(err, /2 dead letters, 1 of them not shown/);
    assert.ok(!out.toString().includes('secret'));
  });

  test('redrive sends them down the same river: what is settled is not done again', async (t) => {
    const { config, read } = await site(t);
    const unique = await read('unique.ndjson');
    const { code, err } = await hapax(['dead-letters', 'redrive', config, '--all']);
    assert.equal(code, 0, err);
    assert.match(err, /sent on once more: 2 received, 0 emitted, 0 duplicates, 2 dead letters/);
    assert.deepEqual(
      (await list(config)).slice(2).map((letter) => [letter.code, letter.attempt]),
      [
        ['unidentified', 2],
        ['conflict', 2],
      ],
    );
    assert.equal(await read('unique.ndjson'), unique);
  });

  test('redrive --force forgets first: what was settled since is done again, once', async (t) => {
    const { config, read } = await site(t);
    const { code, out, err } = await hapax([
      'dead-letters',
      'redrive',
      config,
      '--id',
      'b',
      '--force',
      '--json',
    ]);
    assert.equal(code, 0, err);
    const { received, emitted, complete } = JSON.parse(out.toString()) as Record<string, unknown>;
    assert.deepEqual({ received, emitted, complete }, { received: 1, emitted: 1, complete: true });
    assert.equal(await read('unique.ndjson'), `${[events[0], events[2], events[4], events[3]].join('\n')}\n`);
  });

  test('list tells what was settled since, where the window can tell', async (t) => {
    const { config, read } = await site(t);
    assert.deepEqual((await list(config)).map(({ settled }) => settled), [null, null]); // prettier-ignore
    const folder = join(config, '..');
    const late = join(folder, 'late.yaml');
    const text = (await read('hapax.yaml'))
      .replace('body_check: true', 'event_time: /time')
      .replace('events.ndjson', 'late.ndjson')
      .replaceAll('unique', 'late-unique')
      .replace('path: state', 'path: late-state');
    await writeFile(late, `${text}policies: { late: dead-letter }\n`);
    const [old, now] = ['2020-01-01T00:00:00Z', new Date().toISOString()];
    const timed = [['a', old], ['b', old], ['a', now]].map(([id, time]) => JSON.stringify({ id, time })); // prettier-ignore
    await writeFile(join(folder, 'late.ndjson'), `${timed.join('\n')}\n`);
    await writeFile(join(folder, 'dead.ndjson'), '');
    const { code, err } = await hapax(['run', late, '--quiet']);
    assert.equal(code, 0, err);
    assert.deepEqual((await list(late)).map(({ settled }) => settled), [true, false]); // prettier-ignore
    const { out } = await hapax(['dead-letters', 'list', late]);
    assert.match(out.toString(), / at 0 {2}attempt 1 {2}settled since\n.* attempt 1\n$/);
  });

  test('redrive with another state than the one that was committed with is refused', async (t) => {
    const { config, read } = await site(t);
    await rm(join(config, '..', 'state'), { recursive: true });
    const { code, err } = await hapax(['dead-letters', 'redrive', config, '--id', 'b']);
    assert.equal(code, 78);
    assert.match(err, /HPX-S009/);
    assert.ok(!(await read('unique.ndjson')).includes('"secret":2'));
  });

  test('purge leaves nothing of them, and the pipeline goes on', async (t) => {
    const { config, read } = await site(t);
    const { code, err } = await hapax(['dead-letters', 'purge', config, '--id', 'b']);
    assert.equal(code, 0, err);
    assert.ok(!(await read('dead.ndjson')).includes('secret'));
    assert.equal((await list(config)).length, 1);
    assert.equal((await hapax(['run', config, '--quiet'])).code, 0);
  });

  test('nothing is done to all of them unless that is said', async (t) => {
    const { config } = await site(t);
    for (const command of ['redrive', 'purge']) {
      const { code, err } = await hapax(['dead-letters', command, config]);
      assert.equal(code, 2);
      assert.match(err, /HPX-C008/);
    }
  });
});
