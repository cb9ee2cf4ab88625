import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HapaxError } from '../../src/core/errors.ts';
import { connectToOwner, lockFolder, socketName } from '../../src/disk/lock.ts';

async function folderFor(t: TestContext, ...parts: string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'hapax-lock-'));
  t.after(() => rm(root, { recursive: true }));
  await mkdir(join(root, ...parts), { recursive: true });
  return join(root, ...parts);
}

const isTaken = (error: unknown) => error instanceof HapaxError && error.code === 'HPX-S004';
const nobody = () => undefined;

/** A process that has the lock, killed without a chance to give it back. */
async function leaveStale(folder: string): Promise<void> {
  const child = fork(fileURLToPath(new URL('./lock-holder.js', import.meta.url)), [folder]);
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('the lock of a folder', () => {
  test('is refused to a second one and free again when it was released', async (t) => {
    const folder = await folderFor(t);
    const lock = await lockFolder(folder, nobody);
    await assert.rejects(lockFolder(folder, nobody), isTaken);
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
    await (await lockFolder(folder, nobody)).release();
  });

  test('of a killed process goes to one of many who want it', async (t) => {
    const folder = await folderFor(t);
    for (let round = 0; round < 5; round++) {
      await leaveStale(folder);
      assert.deepEqual(await readdir(folder), [socketName]);
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder, nobody)));
      const got = tries.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
      assert.equal(got.length, 1);
      assert.ok(tries.every((it) => it.status === 'fulfilled' || isTaken(it.reason)));
      assert.deepEqual(await readdir(folder), [socketName]);
      await got[0].release();
    }
  });

  test('works where the path is long in bytes and not in characters', async (t) => {
    if (process.platform !== 'linux') return t.skip('long paths of sockets need /proc');
    const lock = await lockFolder(await folderFor(t, '件'.repeat(26)), nobody);
    await lock.release();
  });

  test('lets others ask its owner, also where the path is long', async (t) => {
    const folder = await folderFor(t, 'a'.repeat(120));
    if (process.platform !== 'linux') return;
    const lock = await lockFolder(folder, (socket) => socket.end('here'));
    await assert.rejects(lockFolder(folder, nobody), isTaken);
    const owner = await connectToOwner(folder);
    assert.equal(String((await once(owner!, 'data'))[0]), 'here');
    await lock.release();
    const short = await folderFor(t);
    const other = await lockFolder(short, (socket) => socket.end('here'));
    const socket = connect(join(short, socketName));
    const [data] = (await once(socket, 'data')) as [Buffer];
    assert.equal(data.toString(), 'here');
    socket.destroy();
    await other.release();
  });

  test('can be asked by path only while somebody has it', async (t) => {
    const folder = await folderFor(t);
    assert.equal(await connectToOwner(folder), undefined);
    assert.equal(await connectToOwner(join(folder, 'missing')), undefined);
    const lock = await lockFolder(folder, (socket) => socket.end('here'));
    assert.equal((await stat(join(folder, socketName))).mode & 0o777, 0o600);
    const socket = await connectToOwner(folder);
    const [data] = (await once(socket!, 'data')) as [Buffer];
    assert.equal(data.toString(), 'here');
    await lock.release();
    assert.equal(await connectToOwner(folder), undefined);
    await leaveStale(folder);
    assert.equal(await connectToOwner(folder), undefined, 'a dead owner is none');
  });

  test('is given back in spite of connections that stay open', async (t) => {
    const folder = await folderFor(t);
    let accepted: () => void = () => undefined;
    const isAccepted = new Promise<void>((resolve) => (accepted = resolve));
    const lock = await lockFolder(folder, accepted);
    const socket = await connectToOwner(folder);
    await isAccepted;
    const closed = once(socket!.resume(), 'close');
    await lock.release();
    await closed;
  });
});
