import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { ended, hapax, start } from './hapax.ts';

async function site(t: TestContext, policy = 'pass') {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-run-'));
  t.after(() => rm(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const config = at('hapax.yaml');
  await writeFile(
    config,
    `pipeline: orders
source: { file: { path: events.ndjson } }
identity: { id: /id, scope: [] }
store: { file: { path: state } }
sink: { stdout: {} }
policies: { ${policy === 'observe' ? 'observe: true' : 'unidentified: pass'} }
`,
  );
  return { at, config, run: () => hapax(['run', config, '--quiet', '--summary', 'json']) };
}

const linesOf = (ids: readonly number[]) => ids.map((id) => `{"id":${id}}\n`).join('');
const countsOf = (err: string) => JSON.parse(err.trim().split('\n').at(-1) ?? '') as Record<string, number>;

describe('hapax run to standard output', () => {
  test('reads on where it ended, and its books go on', async (t) => {
    const { at, run, config } = await site(t);
    await writeFile(at('events.ndjson'), linesOf([1, 2, 1]));
    assert.equal((await run()).out.toString(), linesOf([1, 2]));
    await appendFile(at('events.ndjson'), `${linesOf([2, 3])}bad\n`);
    const { out, err } = await run();
    assert.equal(out.toString(), `${linesOf([3])}bad\n`);
    const { received, first, duplicate, unidentified } = countsOf(err);
    assert.deepEqual([received, first, duplicate, unidentified], [6, 3, 2, 1]);

    const status = await hapax(['status', config, '--json']);
    const { partitions } = JSON.parse(status.out.toString()) as {
      partitions: { items: { checkpoint: number }[] };
    };
    assert.equal(partitions.items[0].checkpoint, linesOf([1, 2, 1, 2, 3]).length + 4);
  });

  test('killed, it repeats at most what was in hand, and loses nothing', async (t) => {
    const { at, config, run } = await site(t);
    const ids = Array.from({ length: 50_000 }, (_, i) => i);
    await writeFile(at('events.ndjson'), linesOf(ids.flatMap((id) => (id % 3 === 0 ? [id, id] : [id]))));
    const outs: string[] = [];
    for (let k = 0; k < 3; k++) {
      const child = start(['run', config, '--quiet']);
      const end = ended(child);
      await Promise.race([once(child.stdout!, 'data'), end]);
      child.kill('SIGKILL');
      outs.push((await end).out.toString());
    }
    const { code, out, err } = await run();
    assert.equal(code, 0, err);
    outs.push(out.toString());
    const whole = outs.flatMap((text) => text.split('\n').filter((line) => line.endsWith('}')));
    const seen = whole.map((line) => (JSON.parse(line) as { id: number }).id);
    assert.deepEqual(
      [...new Set(seen)].sort((a, b) => a - b),
      ids,
    );
    const { received, in_flight } = countsOf(err);
    assert.deepEqual([received, in_flight], [66_667, 0]);
  });

  test('checkpoints that are damaged are refused, and made anew if that is confirmed', async (t) => {
    const { at, run, config } = await site(t);
    await writeFile(at('events.ndjson'), linesOf([1, 2]));
    await run();
    await appendFile(at('state/checkpoints.ndjson'), ' ');
    const { code, err } = await run();
    assert.equal(code, 78);
    assert.match(err, /HPX-S005.*checkpoints\.ndjson/);
    const confirmed = await hapax(['run', config, '--quiet', '--confirm', 'HPX-S005']);
    assert.deepEqual([confirmed.code, confirmed.out.toString()], [0, '']);
  });

  for (const policy of ['observe', 'pass'])
    test(`with ${policy} a huge line goes on whole`, async (t) => {
      const { at, run } = await site(t, policy);
      const huge = `${linesOf([1])}{"id":2,"x":"${'x'.repeat(17_000_000)}"}\n${linesOf([3])}`;
      await writeFile(at('events.ndjson'), huge);
      const { out, err } = await run();
      assert.ok(out.equals(Buffer.from(huge)));
      assert.equal(countsOf(err).unidentified, 1);
    });
});
