import assert from 'node:assert/strict';
import type { FileHandle } from 'node:fs/promises';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { scanRecords } from '../../../src/disk/record.ts';
import { LogWriter, type LogFile } from '../../../src/stores/file/writer.ts';

/** A file on a disk that fails when it is told to: it takes part of a write, or forgets what it was not synced. */
class Disk implements LogFile {
  readonly salt = 1;
  readonly from = 0;
  size = 0;
  bytes = Buffer.alloc(0);
  syncs = 0;
  /** Called once while a sync is on its way. */
  meanwhile: (() => void) | undefined;
  /** What the next writes and syncs do; after these all work. */
  faults: ('write' | 'short' | 'sync' | undefined)[] = [];

  open(): Promise<FileHandle> {
    return Promise.resolve({
      write: this.#write,
      datasync: this.#sync,
      close: async () => undefined,
    } as never);
  }

  readonly #write = async (bytes: Buffer, from: number, size: number, at: number) => {
    const fault = this.faults.shift();
    const taken = fault ? Math.floor(size / 2) : size;
    const end = Math.max(this.bytes.length, at + taken);
    this.bytes = Buffer.concat([this.bytes, Buffer.alloc(end - this.bytes.length)]);
    this.bytes.set(bytes.subarray(from, from + taken), at);
    if (fault === 'write') throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    return { bytesWritten: taken };
  };
  readonly #sync = async () => {
    this.meanwhile?.();
    this.meanwhile = undefined;
    if (this.faults.shift() === 'sync') throw new Error('input/output error');
    this.syncs++;
  };

  read(): number[] {
    const found: number[] = [];
    const ending = scanRecords(this.bytes, this.salt, ({ payload }) => found.push(payload[0]));
    assert.equal(ending.type, 'whole');
    return found;
  }
}

describe('the writer of a log', () => {
  test('puts everything on the disk once and in order, however often writing fails', async () => {
    const fault = fc.constantFrom('write', 'short', 'sync', undefined);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.array(fault), fc.nat(3))), async (rounds) => {
        const disk = new Disk();
        const log = new LogWriter(disk);
        let next = 0;
        for (const [faults, count] of rounds) {
          disk.faults = [...faults];
          for (let k = 0; k < count; k++) {
            const value = next++ & 0xff;
            log.put(1, (pen) => {
              pen.byte(value);
            });
          }
          await log.flush().catch(() => undefined);
        }
        disk.faults = [];
        await log.flush();
        assert.deepEqual(
          disk.read(),
          Array.from({ length: next }, (_, k) => k & 0xff),
        );
        await log.close();
      }),
    );
  });

  test('one sync serves all that came in one turn, the next all that came while it was on its way', async () => {
    const disk = new Disk();
    const log = new LogWriter(disk);
    const flushes: Promise<void>[] = [];
    const tellTen = () => {
      for (let k = 0; k < 10; k++) {
        log.put(1, (pen) => {
          pen.byte(k);
        });
        flushes.push(log.flush());
      }
    };
    disk.meanwhile = tellTen;
    tellTen();
    await flushes[0];
    assert.equal(disk.syncs, 1);
    assert.equal(flushes.length, 20);
    await Promise.all(flushes);
    assert.equal(disk.syncs, 2);
    assert.equal(disk.read().length, 20);
  });

  test('whoever goes on when a write is done has what it tells then in the next one', async () => {
    const disk = new Disk();
    const log = new LogWriter(disk);
    const tellTwice = async (value: number) => {
      for (let k = 0; k < 2; k++) {
        log.put(1, (pen) => {
          pen.byte(value);
        });
        await log.flush();
      }
    };
    disk.meanwhile = () => void tellTwice(3);
    await Promise.all([tellTwice(1), tellTwice(2)]);
    assert.equal(disk.syncs, 2);
    assert.deepEqual(disk.read(), [1, 2, 3, 1, 2]);
  });

  test('a flush resolves only when its record is on the disk', async () => {
    const disk = new Disk();
    const log = new LogWriter(disk);
    log.put(1, (pen) => {
      pen.byte(7);
    });
    disk.faults = ['write'];
    await assert.rejects(log.flush(), { code: 'ENOSPC' });
    assert.equal(log.hasFailed, true);
    await log.flush();
    assert.equal(log.hasFailed, false);
    assert.deepEqual(disk.read(), [7]);
  });
});
