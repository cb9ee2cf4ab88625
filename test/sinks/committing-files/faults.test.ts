import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { openCommittingFiles } from '../../../src/sinks/committing-files.ts';
import { Desk } from './desk.ts';
import { FullDisk } from './full-disk.ts';

const full = { code: 'HPX-O003', message: /ENOSPC/, passing: true };

async function deskOnDisk(t: TestContext): Promise<{ desk: Desk; disk: FullDisk }> {
  const desk = await Desk.inNewFolder(t);
  await desk.start();
  await desk.stage('1');
  await desk.commit(1);
  const disk = await FullDisk.mount();
  t.after(() => {
    disk.unmount();
  });
  return { desk, disk };
}

/** Checkpoint and output as a process finds them that starts after a crash at this moment. */
async function afterCrash(desk: Desk): Promise<readonly [number | undefined, string]> {
  const copy = await mkdtemp(join(tmpdir(), 'hapax-crash-'));
  await cp(desk.folder, copy, { recursive: true });
  const { sink } = await openCommittingFiles({ path: join(copy, 'out') });
  const [{ checkpoint }] = await sink.take([{ partition: 'p', above: 0 }]);
  await sink.close();
  const text = await readFile(join(copy, 'out'), 'utf8');
  await rm(copy, { recursive: true });
  return [checkpoint, text];
}

describe('committing files on a disk that fails', () => {
  test('all outputs are on the disk before the record is written, and then the record', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await desk.start({ deadLetters: { path: desk.path('dead') } });
    const disk = await FullDisk.mount();
    t.after(() => {
      disk.unmount();
    });
    await desk.stage('1');
    await desk.bury('2');
    await desk.commit(2);
    await desk.stage('3');
    await desk.commit(3);
    await desk.commit(4);
    await desk.take();
    assert.deepEqual(disk.calls, [
      ...['writev', 'writev', 'datasync', 'datasync', 'write', 'datasync'],
      ...['writev', 'datasync', 'write', 'datasync'],
      ...['write', 'datasync'],
      ...['write', 'datasync'],
    ]);
  });

  test('a log has its name when it is on the disk, and so has its name before anything is added', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    await desk.close();
    await desk.open();
    disk.calls.length = 0;
    await desk.take();
    assert.deepEqual(disk.calls, ['write', 'sync', 'sync', 'truncate', 'write', 'datasync']);
  });

  test('a write that goes down by half is taken back, and comes once when there is room', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    await desk.stage('2');
    disk.isFullAt('3333');
    await assert.rejects(desk.stage('3333'), full);
    assert.equal(await desk.text(), '1\n2\n');
    await assert.rejects(desk.stage('3333'), full);
    disk.hasRoom();
    await desk.stage('3333');
    await desk.commit(3);
    assert.equal(await desk.text(), '1\n2\n3333\n');
    assert.deepEqual(await afterCrash(desk), [3, '1\n2\n3333\n']);
  });

  test('what a failed write left is gone before anything else is written or committed', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    disk.isFullAt('3333');
    disk.fails('truncate');
    await assert.rejects(desk.stage('3333'), full);
    assert.equal(await desk.text(), '1\n33');
    disk.hasRoom();
    await desk.stage('4');
    assert.equal(await desk.text(), '1\n4\n');
    disk.isFullAt('5555');
    disk.fails('truncate');
    await assert.rejects(desk.stage('5555'), full);
    disk.hasRoom();
    await desk.commit(4);
    assert.equal(await desk.text(), '1\n4\n');
  });

  test('a commit that finds no room for its record may be tried again', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    await desk.stage('2');
    disk.fails('write');
    await assert.rejects(desk.commit(2), full);
    await assert.rejects(desk.commit(2), full);
    disk.hasRoom();
    assert.deepEqual(await desk.commit(2), { fenced: [] });
    assert.deepEqual(await afterCrash(desk), [2, '1\n2\n']);
  });

  test('a commit whose record was written and not synced may be tried again, and counts once', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    await desk.stage('2');
    disk.fails('datasync', 1);
    await assert.rejects(desk.commit(2), full);
    disk.hasRoom();
    assert.deepEqual(await afterCrash(desk), [2, '1\n2\n'], 'nobody knows: all of it or nothing');
    assert.deepEqual(await desk.commit(2), { fenced: [] });
    await desk.stage('3');
    await desk.commit(3);
    assert.deepEqual(await afterCrash(desk), [3, '1\n2\n3\n']);
  });

  test('of a commit that failed and was aborted nothing comes back', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    await desk.stage('2');
    disk.fails('datasync', 1);
    await assert.rejects(desk.commit(2), full);
    disk.hasRoom();
    await desk.abort();
    assert.deepEqual(await afterCrash(desk), [1, '1\n']);
    await desk.stage('3');
    await desk.commit(3);
    assert.deepEqual(await afterCrash(desk), [3, '1\n3\n']);
  });

  test('the output stays until the record of a failed commit is off the disk', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    await desk.stage('2');
    disk.fails('datasync', 1);
    await assert.rejects(desk.commit(2), full);
    disk.fails('sync');
    await assert.rejects(desk.abort(), full);
    assert.equal(await desk.text(), '1\n2\n');
    disk.hasRoom();
    await desk.abort();
    assert.deepEqual(await afterCrash(desk), [1, '1\n']);
  });

  test('what could not be synced is not trusted: the transaction is given up', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    await desk.stage('2');
    disk.fails('datasync');
    await assert.rejects(desk.commit(2), full);
    disk.hasRoom();
    assert.deepEqual(await desk.commit(2), { fenced: [], aborted: true });
    await desk.abort();
    await desk.stage('2');
    assert.deepEqual(await desk.commit(2), { fenced: [] });
    assert.deepEqual(await afterCrash(desk), [2, '1\n2\n']);
  });

  test('an abort that fails may be tried again', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    await desk.stage('2');
    disk.fails('truncate');
    await assert.rejects(desk.abort(), full);
    disk.hasRoom();
    await desk.abort();
    await desk.stage('3');
    await desk.commit(3);
    assert.equal(await desk.text(), '1\n3\n');
  });

  test('a take that fails ends no session', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    disk.fails('datasync');
    await assert.rejects(desk.files.sink.take([{ partition: 'p', above: 0 }]), full);
    disk.hasRoom();
    assert.deepEqual(await desk.commit(2), { fenced: [] });
    const { epoch } = desk;
    assert.equal(await desk.take(), 2);
    assert.ok(desk.epoch > epoch);
  });

  test('a start that finds no room may be tried again', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    await desk.close();
    await desk.open();
    disk.fails('write');
    await assert.rejects(desk.take(), full);
    disk.hasRoom();
    disk.fails('datasync');
    await assert.rejects(desk.take(), full);
    disk.hasRoom();
    assert.equal(await desk.take(), 1);
    await desk.stage('2');
    await desk.commit(2);
    assert.deepEqual(await afterCrash(desk), [2, '1\n2\n']);
  });

  test('a log that cannot be written anew goes on as it is', async (t) => {
    const { desk, disk } = await deskOnDisk(t);
    const partition = 'q'.repeat(600_000);
    disk.fails('sync');
    const [{ epoch, totals }] = await desk.files.sink.take([{ partition, above: 0 }]);
    for (let n = 1; n <= 8; n++) {
      if (n === 5) disk.hasRoom();
      const commits = [{ partition, epoch, checkpoint: n, totals }];
      assert.deepEqual(await desk.files.sink.commit(commits), { fenced: [] });
      await desk.stage(`${n}`);
      await desk.commit(n);
      if (n >= 5) assert.equal((await afterCrash(desk))[0], n);
    }
  });
});
