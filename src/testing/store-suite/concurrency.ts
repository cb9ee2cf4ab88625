import assert from 'node:assert/strict';
import type { Check } from './check.ts';
import { check } from './scene.ts';

export const concurrency: readonly Check[] = [
  check('of many who claim a key at once one is first and all others are held', async ({ partition }) => {
    const callers = Array.from({ length: 20 }, (_, n) => partition(`p${n}`, 1));
    const keys = Array.from({ length: 50 }, (_, n) => ({ key: `X ${n}`, position: n }));
    const answers = await Promise.all(callers.map((caller) => caller.claimAll(keys)));
    keys.forEach(({ key }, i) => {
      const words = answers.map((answer) => answer.words[i]).sort();
      assert.deepEqual(words, ['first', ...Array.from({ length: 19 }, () => 'held')], key);
    });
  }),

  check('of many who resume a key at once one does', async ({ partition }) => {
    await partition('gone', 1).claim('X', 0);
    await partition('gone', 2).enter();
    const words = await Promise.all(
      Array.from({ length: 20 }, (_, n) => partition(`p${n}`, 1).claim('X', 0)),
    );
    assert.equal(words.filter((word) => word === 'resumed').length, 1);
    assert.equal(words.filter((word) => word === 'held').length, 19);
  }),

  check(
    'calls of one session that are in flight together are carried out in their order',
    async ({ partition }) => {
      const a = partition('a', 1);
      const words: unknown[] = [];
      for (let position = 0; position < 100; position++) {
        words.push(a.claim('X', position), a.release('X', position));
      }
      const answers = await Promise.all(words);
      assert.deepEqual(
        answers,
        Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? 'first' : true)),
      );
    },
  ),

  check('many partitions with one key space do each key once', async ({ partition }) => {
    const done = new Map<string, number>();
    const work = async (name: string, from: number) => {
      const caller = partition(name, 1);
      await caller.enter();
      for (let position = 0; position < 40; position++) {
        const key = `X ${(from + position) % 40}`;
        const verdict = await caller.claim(key, position);
        if (verdict === 'first') {
          done.set(key, (done.get(key) ?? 0) + 1);
          await caller.settle(key, position);
        }
        await caller.trim(position);
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, n) => work(`p${n}`, 7 * n)));
    assert.equal(done.size, 40);
    for (const [key, times] of done) assert.equal(times, 1, key);
  }),
];
