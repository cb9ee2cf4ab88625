import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tickMsMax } from '../../../src/core/window.ts';
import { Marks } from '../../../src/stores/kit/marks.ts';
import { Opened } from '../../../src/stores/kit/slots.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 1);
const noBody = new Uint32Array(2);

/** Fingerprint number `n` as a block of one. */
function key(n: number): Uint32Array {
  const block = new Uint32Array(4);
  for (let word = 0; word < 4; word++) {
    let x = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(word + 1, 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    block[word] = x ^ (x >>> 15);
  }
  block[3] &= 0xffff0000;
  return block;
}

const nowhere = { has: () => false, since: () => Infinity };

/** A settled mark of now. */
function add(marks: Marks, block: Uint32Array, body?: Uint32Array): void {
  const { answers } = marks.open(block, body, undefined, 0, 1);
  assert.deepEqual([...answers], [Opened.opened]);
  marks.leaveTail(marks.find(block, 0));
}

test('all that is in the window is found with its time, nothing else, while the table grows and time passes', () => {
  const windowMs = 2 * dayMs;
  const marks = new Marks(windowMs, start, nowhere);
  const reference = new Map<number, number>();
  let now = start;
  let next = 0;
  let most = 0;
  const check = () => {
    for (const [n, acceptedAt] of reference) {
      const tick = Math.floor(acceptedAt / marks.tickMs) * marks.tickMs;
      const isOver = now >= tick + marks.tickMs + windowMs;
      const slot = marks.find(key(n), 0);
      assert.equal(slot < 0, isOver, `mark ${n}`);
      if (isOver) reference.delete(n);
      else assert.equal(marks.acceptedAt(slot), tick);
    }
    assert.equal(marks.size, reference.size);
    for (let n = next; n < next + 100; n++) assert.equal(marks.find(key(n), 0), -1);
  };
  // Rates that differ by the hour, with silences of up to three days.
  for (let hour = 0; hour < 300; hour++) {
    const count = [2_000, 0, 50, 9_000, 500][hour % 5];
    for (let i = 0; i < count; i++) {
      if (i % 10 === 0) marks.advance((now += 3_600_000 / count / 0.1));
      add(marks, key(next));
      reference.set(next++, now);
    }
    if (hour % 7 === 0) {
      for (let n = next - 200; n < next; n += 3) {
        const slot = marks.find(key(n), 0);
        assert.equal(slot >= 0, reference.delete(n));
        if (slot >= 0) marks.remove(slot);
      }
    }
    now += [3_600_000, 0, 40 * 3_600_000, 1, 0, 0, 0, 0, 3 * dayMs][hour % 41] ?? 0;
    marks.advance(now);
    most = Math.max(most, reference.size);
    if (hour % 6 === 0) check();
  }
  check();
  assert.ok(most > 50_000, `too little was tried: ${most}`);
});

test('from a million on a mark takes at most 32 bytes, also while the table grows', () => {
  const marks = new Marks(dayMs, start, nowhere);
  for (let n = 0; n < 1_000_000; n++) {
    add(marks, key(n));
    if (n >= 20_000 && marks.bytes > 32 * n) assert.fail(`${marks.bytes / n} bytes at ${n}`);
  }
});

test('in a steady stream the marks that are over do not pile up', () => {
  const marks = new Marks(1_000, start, nowhere);
  let now = start;
  let most = 0;
  for (let n = 0; n < 1_000_000; n++) {
    if (n % 100 === 0) marks.advance(++now);
    add(marks, key(n));
    most = Math.max(most, marks.bytes);
  }
  assert.ok(marks.size <= 100_200);
  assert.ok(most <= 64 * 100_000, `${most} bytes`);
});

test('bodies are kept from the first one on that is known', () => {
  const marks = new Marks(dayMs, start, nowhere);
  for (let n = 0; n < 1_000; n++) add(marks, key(n));
  const narrow = marks.bytes;
  for (let n = 1_000; n < 50_000; n++) add(marks, key(n), Uint32Array.of(n, 1));
  assert.ok(marks.bytes > narrow);
  for (let n = 0; n < 1_000; n++) {
    assert.equal(marks.hasOtherBody(marks.find(key(n), 0), Uint32Array.of(5, 5), 0), false, 'not known');
  }
  for (let n = 1_000; n < 50_000; n++) {
    const slot = marks.find(key(n), 0);
    assert.equal(marks.hasOtherBody(slot, Uint32Array.of(n, 1), 0), false);
    assert.equal(marks.hasOtherBody(slot, Uint32Array.of(n, 2), 0), true);
    assert.equal(marks.hasOtherBody(slot, noBody, 0), false);
  }
});

test('keys that share their home, at the end of the table too, are found and removed', () => {
  const marks = new Marks(dayMs, start, nowhere);
  const blocks = [0, 0xffffffff].flatMap((end) =>
    // The home comes from the first two words: the same for all of these.
    Array.from({ length: 400 }, (_, n) => Uint32Array.of(end, end && 0x12345678, n, 0)),
  );
  for (const block of blocks) add(marks, block);
  blocks.forEach((block, n) => {
    if (n % 2 === 0) marks.remove(marks.find(block, 0));
  });
  blocks.forEach((block, n) => assert.equal(marks.find(block, 0) >= 0, n % 2 === 1));
  assert.equal(marks.size, 400);
});

test('a tick is never longer than the contract allows', () => {
  for (const windowMs of [1, 999, 1_000, 30_000, 30_001, 65_000, 3_600_000, 2 * dayMs, 90 * dayMs]) {
    const { tickMs } = new Marks(windowMs, start, nowhere);
    assert.ok(Number.isInteger(tickMs) && tickMs >= 1 && tickMs <= tickMsMax(windowMs));
  }
});
