import assert from 'node:assert/strict';
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { describe, test, type TestContext } from 'node:test';
import { headerSize } from '../../../src/disk/record.ts';
import { readCommitLog } from '../../../src/sinks/committing-files/commit-log.ts';
import { books } from '../../../src/testing/checkpoint-suite/scene.ts';
import { Desk } from './desk.ts';

const log = 'out.commits';

/** Four commits of a line each, then closed; `sizes[n]` = how long the log was after n commits. */
async function smallLog(t: TestContext): Promise<{ desk: Desk; bytes: Buffer; sizes: number[] }> {
  let position = 0;
  const desk = await Desk.inNewFolder(t, { stateOf: () => ({ id: 'store', run: 3, position }) });
  const sizes: number[] = [];
  await desk.start();
  const measure = async () => sizes.push((await stat(desk.path(log))).size);
  await measure();
  for (position of [1, 2, 3, 4]) {
    await desk.stage(`${position}`);
    await desk.commit(position);
    await measure();
  }
  await desk.close();
  return { desk, bytes: await readFile(desk.path(log)), sizes };
}

/** How much a log has at least: its first line and its first record. */
function headOf(bytes: Buffer): number {
  const line = bytes.indexOf('\n') + 1;
  return line + headerSize + bytes.readUInt32LE(line);
}

describe('the commit log', () => {
  test('a changed byte anywhere is refused, with the file, the place and what to do', async (t) => {
    const { desk, bytes } = await smallLog(t);
    const file = await open(desk.path(log), 'r+');
    for (let at = 0; at < bytes.length; at++) {
      await file.write(Uint8Array.of(bytes[at] ^ (1 << (at % 8))), 0, 1, at);
      await assert.rejects(desk.open(), { code: 'HPX-O006', message: /out\.commits: (at byte \d+|it does)/ });
      await file.write(bytes, at, 1, at);
    }
    await file.close();
    assert.equal(await desk.text(), '1\n2\n3\n4\n');
  });

  test('a log that ends anywhere is at a commit that was, or refused', async (t) => {
    const { desk, bytes, sizes } = await smallLog(t);
    for (let size = bytes.length - 1; size >= 0; size--) {
      await truncate(desk.path(log), size);
      const reading = await readCommitLog(desk.path(log));
      if (size < headOf(bytes)) assert.ok(reading?.damage, `with ${size} bytes`);
      else {
        assert.equal(reading?.damage, undefined);
        const commits = Math.max(0, sizes.filter((end) => end <= size).length - 1);
        assert.equal(reading?.ledger.state?.position ?? 0, commits, `with ${size} bytes`);
      }
    }
  });

  test('a commit that is cut off takes its output with it', async (t) => {
    const { desk, bytes, sizes } = await smallLog(t);
    for (const cut of [
      bytes.subarray(0, sizes[4] - 1),
      Buffer.concat([bytes.subarray(0, sizes[3]), Buffer.alloc(700)]),
    ]) {
      await writeFile(desk.path(log), cut);
      await writeFile(desk.path('out'), '1\n2\n3\n4\n');
      assert.equal(await desk.start(), 3);
      assert.equal(await desk.text(), '1\n2\n3\n');
      await desk.close();
    }
  });

  test('confirmed damage: what is sound counts, the outputs stay, epochs go on, and it is recorded', async (t) => {
    const { desk, bytes, sizes } = await smallLog(t);
    bytes[sizes[2] + 20] ^= 1;
    await writeFile(desk.path(log), bytes);
    const { epoch } = desk;
    assert.equal(await desk.start({ confirmed: ['HPX-O006'] }), 2);
    assert.ok(desk.epoch > epoch);
    await desk.stage('5');
    await desk.commit(5);
    await desk.close();
    assert.equal(await desk.text(), '1\n2\n3\n4\n5\n');
    assert.equal(await desk.start(), 5);
    assert.match(
      await desk.text(log),
      /"confirmed":\[\{"code":"HPX-O006","detail":"[^"]*out\.commits: at byte/,
    );
  });

  test('a commit writes what changes, whatever else there is', async (t) => {
    const desk = await Desk.inNewFolder(t);
    const { sink } = await desk.open();
    const names = Array.from({ length: 10_000 }, (_, n) => `events/${n}.ndjson`);
    const taken = await sink.take(names.map((partition) => ({ partition, above: 0 })));
    const before = (await stat(desk.path(log))).size;
    for (let n = 1; n <= 100; n++) await sink.commit([{ ...taken[n], checkpoint: n, totals: books(n) }]);
    assert.ok((await stat(desk.path(log))).size - before < 100 * 300);
    await sink.close();
    const again = await (await desk.open()).sink.take([{ partition: names[100], above: 0 }]);
    assert.deepEqual([again[0].checkpoint, again[0].writer], [100, taken[100].epoch]);
  });

  test('it does not grow for ever, and loses nothing when it is written anew', async (t) => {
    const desk = await Desk.inNewFolder(t);
    const partition = 'p'.repeat(100_000);
    const { sink } = await desk.open();
    const [{ epoch }] = await sink.take([{ partition, above: 0 }]);
    let most = 0;
    for (let n = 1; n <= 40; n++) {
      await sink.commit([{ partition, epoch, checkpoint: n, totals: books(n) }]);
      most = Math.max(most, (await stat(desk.path(log))).size);
    }
    assert.ok(most < 1_400_000, `${most}`);
    await sink.close();
    const [{ checkpoint, writer, totals }] = await (await desk.open()).sink.take([{ partition, above: 0 }]);
    assert.deepEqual([checkpoint, writer, totals], [40, epoch, books(40)]);
  });

  test('the state of the store is what it said at the last commit', async (t) => {
    let position = 7;
    const stateOf = () => ({ id: 'store', run: 3, position });
    const desk = await Desk.inNewFolder(t, { stateOf });
    await desk.start();
    assert.equal(desk.files.lastState, undefined);
    await desk.commit(1);
    position = 9;
    await desk.commit(2);
    await desk.close();
    assert.deepEqual((await desk.open()).lastState, { id: 'store', run: 3, position: 9 });
  });
});
