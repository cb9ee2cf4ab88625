import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { headerSize, scanRecords, sealRecord, type DiskRecord } from '../../src/disk/record.ts';

const salt = 7;

/** A file as it stands after some writes of some payloads each. */
function fileOf(writes: readonly (readonly Uint8Array[])[]): Buffer {
  let file = Buffer.alloc(0);
  for (const payloads of writes) {
    const bytes = Buffer.alloc(payloads.reduce((sum, { length }) => sum + headerSize + length, 0));
    let at = 0;
    payloads.forEach((payload, kind) => {
      bytes.set(payload, at + headerSize);
      at = sealRecord(bytes, at, { kind, size: payload.length, offset: file.length, salt });
    });
    file = Buffer.concat([file, bytes]);
  }
  return file;
}

function scan(bytes: Buffer, with_ = salt) {
  const records: DiskRecord[] = [];
  const ending = scanRecords(bytes, with_, (record) => records.push(record));
  return { records, ending };
}

const payload = fc.uint8Array({ maxLength: 700 }).map((bytes) => bytes.map((byte) => byte | 1));
const write = fc.array(payload, { minLength: 1, maxLength: 4 });
const writes = fc.array(write, { minLength: 1, maxLength: 4 });

describe('records on the disk', () => {
  test('what was sealed is read again', () => {
    fc.assert(
      fc.property(writes, (given) => {
        const { records, ending } = scan(fileOf(given));
        assert.equal(ending.type, 'whole');
        assert.deepEqual(
          records.map(({ kind, payload: bytes }) => [kind, [...bytes]]),
          given.flatMap((payloads) => payloads.map((bytes, kind) => [kind, [...bytes]])),
        );
      }),
    );
  });

  test('a file that ends anywhere is whole up to there or torn, never damaged and never wrong', () => {
    fc.assert(
      fc.property(writes, fc.nat(), (given, n) => {
        const file = fileOf(given);
        const cut = file.subarray(0, n % (file.length + 1));
        const { records, ending } = scan(cut);
        assert.notEqual(ending.type, 'damaged');
        const sound = scan(file).records;
        assert.deepEqual(records, sound.slice(0, records.length));
        assert.equal(ending.at, sound[records.length]?.at ?? file.length);
      }),
    );
  });

  test('a changed byte anywhere is damage', () => {
    fc.assert(
      fc.property(writes, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, n, change) => {
        const file = fileOf(given);
        file[n % file.length] ^= change;
        assert.equal(scan(file).ending.type, 'damaged');
      }),
      { numRuns: 1_000 },
    );
  });

  test('holes in the last write are torn, in one before it damage', () => {
    const bytes = new Uint8Array(2_000).fill(1);
    const file = fileOf([[bytes], [bytes, bytes]]);
    const last = scan(file).records[1].at;
    const holeIn = (at: number) =>
      Buffer.from(file).fill(0, Math.ceil(at / 512) * 512, Math.ceil(at / 512) * 512 + 512);
    assert.deepEqual(scan(holeIn(last)).ending, { type: 'torn', at: last });
    assert.deepEqual(scan(holeIn(0)).ending.type, 'damaged');
    assert.deepEqual(scan(Buffer.concat([file, Buffer.alloc(100)])).ending, {
      type: 'torn',
      at: file.length,
    });
  });

  test('a record of another file or another place does not pass', () => {
    const file = fileOf([[Uint8Array.of(1)]]);
    assert.equal(scan(file, salt + 1).records.length, 0);
    assert.equal(scan(Buffer.concat([file, file])).records.length, 1);
  });
});
