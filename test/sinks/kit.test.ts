import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NdjsonWriter } from '../../src/sinks/kit/ndjson-writer.ts';
import { descriptorOutput, type Output } from '../../src/sinks/kit/output.ts';
import { framed, some } from './batches.ts';

describe('what sinks have in common', () => {
  test('partial writes lose and repeat nothing', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `${'x'.repeat(i)}\n`);
    for (let most = 1; most < 30; most++) {
      let out = '';
      const output = descriptorOutput(async (pieces) => {
        const taken = Buffer.concat(pieces).subarray(0, most);
        out += taken.toString();
        return { bytesWritten: taken.length };
      });
      await output.write(lines.map((line) => Buffer.from(line)));
      assert.equal(out, lines.join(''), `${most} bytes at a time`);
    }
  });

  test('one write at a time, in the order of the calls', async () => {
    const out: string[] = [];
    let under = 0;
    const writer = new NdjsonWriter(
      outputOf(async (pieces) => {
        assert.equal(++under, 1);
        await new Promise(setImmediate);
        out.push(Buffer.concat(pieces).toString());
        under--;
      }),
    );
    await Promise.all(['1\n', '2\n', '3\n'].map((line) => writer.write(some(framed(line)))));
    assert.deepEqual(out, ['1\n', '2\n', '3\n']);
  });

  test('after a failure nothing more goes out', async () => {
    let calls = 0;
    const writer = new NdjsonWriter(
      outputOf(async () => {
        calls++;
        throw new Error('full');
      }),
    );
    const writes = await Promise.allSettled(['1\n', '2\n'].map((line) => writer.write(some(framed(line)))));
    assert.deepEqual(
      writes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(calls, 1);
  });
});

function outputOf(write: Output['write']): Output {
  return { write, end: () => Promise.resolve() };
}
