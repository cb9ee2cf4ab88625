import assert from 'node:assert/strict';
import type { Claims } from '../../core/store.ts';
import { Verdict } from '../../core/verdict.ts';
import type { PartitionCaller } from './caller.ts';
import type { Check } from './check.ts';
import { check } from './scene.ts';

const { first, resumed, duplicate, held, doneFirst, doneResumed } = Verdict;

/** A batch as the engine has it: its arrays serve all calls, and each call names what it means. */
class Batch {
  readonly #caller: PartitionCaller;
  readonly #claims: Claims;
  readonly #before: string;
  #call = 0;

  constructor(caller: PartitionCaller, keys: readonly string[]) {
    this.#caller = caller;
    this.#claims = caller.claims(keys.map((key, position) => ({ key, position })));
    this.#before = JSON.stringify(this.#claims);
  }

  of(...indices: number[]): Claims {
    return { ...this.#claims, indices: Uint32Array.from(indices) };
  }
  async claim(...indices: number[]): Promise<number[]> {
    const claimed = await this.#caller.store.claim({ ...this.of(...indices), call: ++this.#call });
    assert.ok('verdicts' in claimed);
    assert.equal(claimed.accepted.length, indices.length);
    return [...claimed.verdicts];
  }
  async settle(...indices: number[]): Promise<number[]> {
    return [...(await this.#caller.store.settle(this.of(...indices)))];
  }
  async release(...indices: number[]): Promise<number[]> {
    return [...(await this.#caller.store.release(this.of(...indices)))];
  }
  async audit(...indices: number[]): Promise<void> {
    await this.#caller.store.audit(this.#caller.session, { ...this.of(...indices), call: this.#call });
  }
  assertUnchanged(): void {
    assert.equal(JSON.stringify(this.#claims), this.#before);
  }
}

export const elements: readonly Check[] = [
  check('a call means the elements that it names, in their order', async ({ partition, look }) => {
    const a = partition('a', 1);
    const batch = new Batch(a, ['U', 'V', 'W', 'X', 'Y']);
    await a.finish('X', 9);
    assert.deepEqual(await batch.claim(3, 1, 4), [duplicate, first, first]);
    assert.deepEqual(await look('U'), { state: 'none' });
    assert.deepEqual(await batch.settle(4), [0]);
    assert.deepEqual(await batch.claim(), []);
    assert.deepEqual(await batch.claim(4, 1), [doneFirst, first]);
    assert.deepEqual(await batch.release(2, 1), [0, 1]);
    assert.deepEqual(await look('V'), { state: 'none' });
    assert.equal((await look('Y')).state, 'settled');
  }),

  check(
    'elements of one batch are claimed, settled and trimmed in many calls',
    async ({ partition, store }) => {
      const a = partition('a', 1);
      const b = partition('b', 1);
      const keys = Array.from({ length: 10 }, (_, n) => `X ${n}`);
      const batch = new Batch(a, keys);
      assert.equal(await b.claim('X 4'), 'first');
      assert.deepEqual(await batch.claim(0, 1, 2, 3, 4), [first, first, first, first, held]);
      assert.deepEqual(await batch.claim(5, 6), [first, first]);
      assert.deepEqual(await batch.settle(5, 0, 2), [0, 0, 0]);
      assert.equal(await b.release('X 4'), true);
      assert.deepEqual(await batch.claim(4), [first]);
      assert.deepEqual(await batch.settle(4, 1, 6), [0, 0, 0]);
      await a.trim(3);
      assert.deepEqual(await batch.claim(0, 1, 2, 3, 4, 5, 6, 7), [
        ...[duplicate, duplicate, duplicate, first, doneFirst, doneFirst, doneFirst, first],
      ]);
      assert.deepEqual(await batch.settle(7, 3), [0, 0]);
      await a.trim(10);
      const { marks, open, tail } = store.stats();
      assert.deepEqual({ marks, open, tail }, { marks: 8, open: 0, tail: 0 });
    },
  ),

  check('an audit lists the elements that it names', async ({ partition }) => {
    const a = partition('a', 1);
    const batch = new Batch(a, ['X', 'Y', 'Z']);
    await batch.claim(0, 1, 2);
    await batch.audit(2, 0);
    const b = partition('b', 1);
    assert.deepEqual(await Promise.all(['X', 'Y', 'Z'].map((key) => b.claim(key))), [
      'held',
      'resumed',
      'held',
    ]);
    assert.deepEqual(await batch.settle(0, 1), [0, 1]);
  }),

  check('the arrays of a batch serve the next session too', async ({ partition }) => {
    const keys = ['X', 'Y', 'Z'];
    const old = new Batch(partition('a', 1), keys);
    await old.claim(0, 1, 2);
    await old.settle(0);
    const next = partition('a', 2);
    await next.enter();
    const batch = new Batch(next, keys);
    assert.deepEqual(await old.release(1), [0]);
    assert.deepEqual(await batch.claim(0, 1), [doneFirst, resumed]);
    assert.deepEqual(await old.settle(1, 2), [1, 1]);
    assert.deepEqual(await batch.claim(1, 2), [doneResumed, doneFirst]);
  }),

  check('what was given is not changed', async ({ partition }) => {
    const a = partition('a', 1);
    const batch = new Batch(a, ['X', 'Y', 'X', 'Z']);
    await batch.claim(0, 1, 2, 3);
    await batch.settle(0, 3);
    await batch.release(1);
    await a.trim(4);
    batch.assertUnchanged();
  }),
];
