import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { openRunFiles, type RunFilesOptions } from '../../../src/sinks/committing-files.ts';
import { batchOf, outgoing } from '../../../src/testing/batches.ts';
import { books } from '../../../src/testing/checkpoint-suite/scene.ts';

const { signal } = new AbortController();

/** A folder with a log of runs; a run that is not ended is killed. */
async function site(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-runs-'));
  t.after(() => rm(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const text = (name: string) => readFile(at(name), 'utf8');
  const run = async (output?: string, more: Partial<RunFilesOptions> = {}) => {
    const outputs = output === undefined ? undefined : { path: at(output) };
    const { sink, list } = await openRunFiles({ log: at('log'), outputs, ...more });
    t.after(() => sink.close());
    const [{ epoch, checkpoint = 0 }] = await sink.take([{ partition: 'p', above: 0 }]);
    const stage = (payload: string) => sink.write(outgoing(batchOf([payload])), signal);
    const commit = (to: number) =>
      sink.commit([{ partition: 'p', epoch, checkpoint: to, totals: books(to) }]);
    return { checkpoint, stage, commit, list, sink, end: () => sink.close() };
  };
  return { folder, at, text, run };
}

describe('runs with one log and outputs of their own', () => {
  test('an output is appended to, whoever wrote it and whatever became of it between the runs', async (t) => {
    const { at, text, run } = await site(t);
    await writeFile(at('out'), 'before');
    for (const [payload, expected] of [
      ['a', 'before\na\n'],
      ['b', 'before\na\nmore\nb\n'],
      ['c', 'c\n'],
      ['d', 'd\n'],
    ]) {
      const { stage, commit, end } = await run('out');
      await stage(payload);
      await commit(1);
      await end();
      assert.equal(await text('out'), expected);
      if (payload === 'a') await appendFile(at('out'), 'more\n');
      if (payload === 'b') await truncate(at('out'));
      if (payload === 'c') await rm(at('out'));
    }
  });

  test('positions and epochs go on from run to run, whatever it writes to', async (t) => {
    const { run } = await site(t);
    const first = await run('one');
    await first.commit(3);
    await first.end();
    const second = await run('two');
    assert.equal(second.checkpoint, 3);
    await second.commit(5);
    await second.end();
    const third = await run();
    assert.equal(third.checkpoint, 5);
    await assert.rejects(third.stage('x'), { code: 'HPX-O001' });
  });

  for (const next of ['out', 'other', undefined])
    test(`what a killed run left is cut to its commits by one that writes to ${next ?? 'nothing'}`, async (t) => {
      const { text, run } = await site(t);
      const { stage, commit } = await run('out');
      await stage('a');
      await commit(1);
      await stage('b');
      const { end } = await run(next);
      assert.equal(await text('out'), 'a\n');
      await end();
    });

  test('what a killed run has committed and is gone has to be confirmed, and is not made again', async (t) => {
    const { at, folder, run } = await site(t);
    const { stage, commit } = await run('out');
    await stage('a');
    await commit(1);
    await rm(at('out'));
    await assert.rejects(run('other'), { code: 'HPX-O005' });
    const confirmed = await run('other', { confirmed: ['HPX-O005'] });
    await confirmed.end();
    assert.deepEqual((await readdir(folder)).sort(), ['log', 'other']);
  });

  test('what nothing was committed to may be gone', async (t) => {
    const { at, folder, run } = await site(t);
    await run('out');
    await rm(at('out'));
    await run('other');
    assert.deepEqual((await readdir(folder)).sort(), ['log', 'other']);
  });

  test('the log does not grow with the outputs that were', async (t) => {
    const { at, run } = await site(t);
    const sizes: number[] = [];
    for (let k = 0; k < 20; k++) {
      const { stage, commit, end } = await run(`out-${k + 10}`);
      await stage('a');
      await commit(k);
      await end();
      sizes.push((await readFile(at('log'))).length);
    }
    assert.equal(sizes.at(-1), sizes[1]);
  });
});
