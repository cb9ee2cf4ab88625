import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { HapaxError } from '../../../src/core/errors.ts';
import { readCommitted } from '../../../src/sinks/committing-files/reading.ts';
import { books } from '../../../src/testing/checkpoint-suite/scene.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';
import { Desk } from './desk.ts';

describe('what is committed, read beside the writer', () => {
  test('is the checkpoints, and files as far as they count', async (t) => {
    const desk = await Desk.inNewFolder(t);
    const options = { path: desk.path('out'), deadLetters: { path: desk.path('dead') } };
    assert.deepEqual(await readCommitted(options), { checkpoints: [], files: [] });
    await desk.start(options);
    await desk.stage('one');
    await desk.bury('bad');
    await desk.commit(3);
    await desk.stage('two');
    const { checkpoints, files } = await readCommitted(options);
    const [{ partition, epoch, checkpoint, writer, totals }] = checkpoints;
    assert.deepEqual([partition, checkpoint, writer, totals], ['p', 3, epoch, books(3)]);
    assert.deepEqual(
      files.map(({ output, length }) => [output, length]),
      [['sink', 4], ['deadLetters', 4]], // prettier-ignore
    );
    assert.deepEqual(await desk.files.list(), checkpoints, 'as the writer itself says');
    await desk.abort();
    assert.equal(await desk.text(), 'one\n');
  });

  test('has all files of a series, the oldest first', async (t) => {
    const clock = new ManualClock();
    const desk = await Desk.inNewFolder(t, { clock });
    const options = {
      path: desk.path('out'),
      deadLetters: { path: desk.path('dead.x'), keepMs: 8 * 3_600_000 },
    };
    await desk.start(options);
    for (const n of [1, 2, 3]) {
      await desk.bury(`letter ${n}`);
      await desk.commit(n);
      clock.tick(3_600_000);
    }
    const letters = (await readCommitted(options)).files.filter(({ output }) => output === 'deadLetters');
    assert.equal(letters.length, 3);
    assert.deepEqual(
      letters,
      letters.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    );
  });

  test('is found through a link, as the writer finds it', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await writeFile(desk.path('real'), '');
    await symlink(desk.path('real'), desk.path('link'));
    await desk.start({ path: desk.path('link') });
    await desk.stage('one');
    await desk.commit(1);
    assert.equal((await readCommitted({ path: desk.path('link') })).files[0].length, 4);
  });

  test('is refused where the log is damaged', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await writeFile(desk.path('out.commits'), 'nothing of ours');
    const isDamage = (error: unknown) => error instanceof HapaxError && error.code === 'HPX-O006';
    await assert.rejects(readCommitted({ path: desk.path('out') }), isDamage);
  });
});
