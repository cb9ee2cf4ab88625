import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LeaseSession } from '../../src/core/session.ts';
import type { Verdicts, WindowStore } from '../../src/core/store.ts';
import { Verdict } from '../../src/core/verdict.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { readableStore } from '../../src/testing/readable-store.ts';
import { hour, identity } from '../core/workshop.ts';

const leaseMs = 2_000;
const fingerprints = identity.fingerprintOf('1');
const positions = Float64Array.of(0);

/** One attempt at the delivery, as a worker has it. */
class Attempt {
  readonly #session: LeaseSession;
  readonly #store: WindowStore;

  constructor(store: WindowStore, token: string) {
    this.#store = store;
    this.#session = { kind: 'lease', token, leaseMs };
  }
  /** Also renews. */
  async claim(): Promise<{ verdict: number; fence: number }> {
    const answer = await this.#store.claim({ session: this.#session, fingerprints, positions, call: 0 });
    const { verdicts, fences } = answer as Verdicts;
    return { verdict: verdicts[0], fence: fences?.[0] ?? NaN };
  }
  async settle(): Promise<'settled' | 'overtaken'> {
    const [overtaken] = await this.#store.settle({ session: this.#session, fingerprints, positions });
    return overtaken ? 'overtaken' : 'settled';
  }
  async release(): Promise<boolean> {
    return (await this.#store.release({ session: this.#session, fingerprints, positions }))[0] === 1;
  }
}

for (const [name, makeStore] of Object.entries({ memoryStore, readableStore }))
  describe(`a lease of 2 s and work of 5 s, with ${name}`, () => {
    const bench = () => {
      const clock = new ManualClock();
      const store = makeStore({ windowMs: hour, clock });
      return { clock, one: new Attempt(store, 'one'), two: new Attempt(store, 'two') };
    };

    test('that is renewed while the work is alive: nobody joins in', async () => {
      const { clock, one, two } = bench();
      assert.equal((await one.claim()).verdict, Verdict.first);
      for (let ms = 0; ms < 5_000; ms += 1_000) {
        clock.tick(1_000);
        assert.equal((await two.claim()).verdict, Verdict.held);
        assert.equal((await one.claim()).verdict, Verdict.first, 'as before');
      }
      assert.equal(await one.settle(), 'settled');
      assert.equal((await two.claim()).verdict, Verdict.duplicate);
    });

    test('that lapses: the next one resumes with a higher fence, the late one learns it and releases nothing', async () => {
      const { clock, one, two } = bench();
      const first = await one.claim();
      clock.tick(leaseMs - 1);
      assert.equal((await two.claim()).verdict, Verdict.held);
      clock.tick(1);
      const second = await two.claim();
      assert.equal(second.verdict, Verdict.resumed);
      assert.ok(second.fence > first.fence);
      assert.equal(await one.release(), false, 'the claim is no longer its own');
      assert.equal((await one.claim()).verdict, Verdict.held);
      assert.equal(await two.settle(), 'settled');
      assert.equal((await one.claim()).verdict, Verdict.duplicate);
    });

    test('that lapses, and the late one is done first: it may settle, and the other one learns it', async () => {
      const { clock, one, two } = bench();
      await one.claim();
      clock.tick(leaseMs);
      await two.claim();
      assert.equal(await one.settle(), 'overtaken');
      assert.equal(await two.release(), false, 'what is settled is not taken back');
      assert.equal(await two.settle(), 'overtaken');
      assert.equal(
        (await new Attempt(makeStore({ windowMs: hour, clock }), 'x').claim()).verdict,
        Verdict.first,
      );
      assert.equal((await two.claim()).verdict, Verdict.duplicate);
    });

    test('that lapses with nobody there: the open claim stays open, and its own worker may still settle it', async () => {
      const { clock, one, two } = bench();
      await one.claim();
      clock.tick(5_000);
      assert.equal(await one.settle(), 'overtaken', 'somebody might have come');
      assert.equal((await two.claim()).verdict, Verdict.duplicate);
    });

    test('that lapses by a wall clock set forward does not lapse', async () => {
      const { clock, one, two } = bench();
      await one.claim();
      clock.set(clock.now() + 10 * leaseMs);
      assert.equal((await two.claim()).verdict, Verdict.held);
      clock.set(clock.now() - 100 * leaseMs);
      clock.tick(leaseMs);
      assert.equal((await two.claim()).verdict, Verdict.resumed);
    });
  });
