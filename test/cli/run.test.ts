import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { ended, hapax, start } from './hapax.ts';

async function site(t: TestContext, source = 'path: events.ndjson', identity = 'id: /id') {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-run-'));
  t.after(() => rm(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  await writeFile(at('events.ndjson'), '{"id":1}\n{"id":2}\n{"id":1}\n');
  await writeFile(
    at('hapax.yaml'),
    `pipeline: orders
source: { file: { ${source} } }
identity: { ${identity} }
store: { file: { path: state } }
sink: { file: { path: unique.ndjson } }
dead_letter: { file: { path: dead.ndjson } }
`,
  );
  return { at, config: at('hapax.yaml'), read: (name: string) => readFile(at(name), 'utf8') };
}

const countsOf = (err: string) => JSON.parse(err.trim().split('\n').at(-1) ?? '') as Record<string, number>;
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 20));
};

describe('hapax run', () => {
  test('reads on where it ended, and its books go on', async (t) => {
    const { at, config, read } = await site(t);
    const first = await hapax(['run', config, '--quiet', '--summary', 'json']);
    assert.equal(first.code, 0, first.err);
    assert.equal(await read('unique.ndjson'), '{"id":1}\n{"id":2}\n');
    await appendFile(at('events.ndjson'), '{"id":2}\n{"id":3}\n');
    const {
      received,
      first: firsts,
      duplicate,
      in_flight,
    } = countsOf((await hapax(['run', config, '--quiet', '--summary', 'json'])).err);
    assert.deepEqual(
      { received, firsts, duplicate, in_flight },
      { received: 5, firsts: 3, duplicate: 2, in_flight: 0 },
    );
    assert.equal(await read('unique.ndjson'), '{"id":1}\n{"id":2}\n{"id":3}\n');
  });

  test('reads a file again whose last line has grown: nothing of it is lost, nothing comes twice', async (t) => {
    const { at, config, read } = await site(t);
    await appendFile(at('events.ndjson'), '{"id":7,"a');
    await hapax(['run', config, '--quiet']);
    await appendFile(at('events.ndjson'), '":1}\n{"id":8}\n');
    const { code, err } = await hapax(['run', config, '--quiet']);
    assert.equal(code, 0, err);
    assert.equal(await read('unique.ndjson'), '{"id":1}\n{"id":2}\n{"id":7,"a":1}\n{"id":8}\n');
  });

  test('follows files, and SIGTERM ends it with everything in place', async (t) => {
    const { at, config, read } = await site(t, 'path: "*.ndjson", follow: true'.replace('*', 'events*'));
    const worker = start(['run', config]);
    const end = ended(worker);
    await until(async () => (await read('unique.ndjson')) === '{"id":1}\n{"id":2}\n');
    await appendFile(at('events.ndjson'), '{"id":4}\n');
    await writeFile(at('events-2.ndjson'), '{"id":4}\n{"id":5}\n');
    await until(async () => (await read('unique.ndjson')).includes('"id":5'));
    worker.kill('SIGTERM');
    const { code, err } = await end;
    assert.equal(code, 0, err);
    const events = err
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    assert.deepEqual(
      events.map((line) => (JSON.parse(line) as { event: string }).event),
      ['run.started', 'run.ended'],
    );
    assert.equal(await read('unique.ndjson'), '{"id":1}\n{"id":2}\n{"id":4}\n{"id":5}\n');
  });

  test('does not run twice on one state', async (t) => {
    const { config, read } = await site(t, 'path: events.ndjson, follow: true');
    const worker = start(['run', config, '--quiet']);
    const end = ended(worker);
    await until(async () => (await read('unique.ndjson')).length > 0);
    const { code, err } = await hapax(['run', config, '--quiet']);
    assert.equal(code, 78);
    assert.match(err, /HPX-S004/);
    worker.kill('SIGTERM');
    assert.equal((await end).code, 0);
  });

  test('notices that other settings make other keys', async (t) => {
    const { config, read } = await site(t);
    await hapax(['run', config, '--quiet']);
    await writeFile(config, (await read('hapax.yaml')).replace('id: /id', 'id: /event_id'));
    const refused = await hapax(['run', config, '--quiet']);
    assert.equal(refused.code, 78);
    assert.match(refused.err, /HPX-C018/);
    const confirmed = await hapax(['run', config, '--quiet', '--confirm', 'HPX-C018']);
    assert.equal(confirmed.code, 0, confirmed.err);
    assert.equal((await hapax(['run', config, '--quiet'])).code, 0);
  });

  test('refuses a configuration that is wrong, with its places', async (t) => {
    const { at, config } = await site(t);
    await writeFile(at('hapax.yaml'), 'pipeline: orders\nsorce: {}\n');
    const { code, err } = await hapax(['run', config]);
    assert.equal(code, 78);
    assert.match(err, /hapax.yaml:2:1 error HPX-C003: unknown setting "sorce"/);
    assert.equal((await hapax(['run', config, '--confirm', 'HPX-X999'])).code, 2);
  });
});
