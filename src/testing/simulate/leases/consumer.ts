import { Verdict } from '../../../core/verdict.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Claims } from '../../../core/store.ts';
import { wordOf } from '../../verdict-words.ts';
import type { LeaseWorld, Message } from './world.ts';

const patienceMs = 100;

/** A consumer without positions: each message that it gets is an attempt with a token and a lease of its own. */
export class Consumer {
  readonly name: string;
  stalled = false;
  skewMs = 0;
  readonly #world: LeaseWorld;
  readonly #clock: Clock;
  #attempts = 0;

  constructor(name: string, world: LeaseWorld) {
    this.name = name;
    this.#world = world;
    this.#clock = world.wire.clockOf(name, () => this.skewMs);
    void this.#consume();
  }

  get atWork(): boolean {
    return this.#world.messages.some(({ holder }) => holder === this.name);
  }

  async #consume(): Promise<never> {
    const { wire } = this.#world;
    for (;;) {
      const free = (): Message | undefined =>
        this.#world.messages.find(({ holder, acknowledged }) => holder === undefined && !acknowledged);
      const message = await wire.call(
        this.name,
        'source',
        'gets a message',
        () => {
          const given = free()!;
          given.holder = this.name;
          this.#world.say(`${this.name} gets ${given.name}, ${given.key}`);
          return given;
        },
        () => free() !== undefined,
      );
      await this.#handle(message);
    }
  }

  async #handle(message: Message): Promise<void> {
    const { key } = message;
    const token = `${this.name}.${this.#attempts++}`;
    const claims: Claims = {
      session: { kind: 'lease', token, leaseMs: this.#world.plan.leaseMs },
      fingerprints: this.#world.fingerprintOf(key),
      positions: Float64Array.of(0),
    };
    const store = this.#world.storeFor(token);
    const verdict = await this.#claim(claims, store);
    if (verdict !== Verdict.duplicate) await this.#work(key, claims, store);
    await this.#patiently(() =>
      this.#call('checkpoints', `acknowledges ${message.name}`, () => {
        this.#world.acknowledge(message);
      }),
    );
  }

  /** Held is no outcome: it is asked again until it has one. */
  async #claim(claims: Claims, store: ReturnType<LeaseWorld['storeFor']>): Promise<number> {
    for (;;) {
      const answer = await this.#patiently(() => store.claim({ ...claims, call: 1 }));
      const verdict = 'verdicts' in answer ? answer.verdicts[0] : Verdict.none;
      this.#world.count(`verdict ${wordOf(verdict)}`);
      if (verdict !== Verdict.held) return verdict;
      await this.#clock.sleep(this.#world.plan.leaseMs / 2);
    }
  }

  async #work(key: string, claims: Claims, store: ReturnType<LeaseWorld['storeFor']>): Promise<void> {
    const outcome = await this.#patiently(() =>
      this.#call('sink', `does ${key}`, () => this.#world.write(key)),
    );
    if (outcome === 'done') {
      await this.#patiently(() => store.settle(claims));
      return;
    }
    await this.#patiently(() =>
      this.#call('dead-letters', `dead-letters ${key}`, () => {
        this.#world.dead.push(key);
      }),
    );
    await this.#patiently(() => store.release(claims));
  }

  #call<T>(target: 'sink' | 'dead-letters' | 'checkpoints', what: string, run: () => T): Promise<T> {
    return this.#world.wire.call(this.name, target, what, run);
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch {
        await this.#clock.sleep(patienceMs);
      }
    }
  }
}
