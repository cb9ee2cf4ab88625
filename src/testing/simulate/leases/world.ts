import { chosen, type WindowStore } from '../../../core/store.ts';
import { tickMsMax } from '../../../core/window.ts';
import type { Chance } from '../../../core/chance.ts';
import { simulatedIdentity } from '../keys.ts';
import type { Budget, Fault } from '../plan.ts';
import { Violation } from '../violation.ts';
import { WindowServer, type MakeStore } from '../window-server.ts';
import { Wire } from '../wire.ts';
import { windowMs } from '../world.ts';
import { LeaseOwners } from './owners.ts';
import type { LeasePlan } from './plan.ts';

/** A message of a queue without positions: it is given again until it is acknowledged. */
export interface Message {
  readonly name: string;
  readonly key: string;
  holder: string | undefined;
  acknowledged: boolean;
}

/** The queue, the store and the effects of one run with leases. */
export class LeaseWorld {
  readonly plan: LeasePlan;
  readonly chance: Chance;
  readonly wire = new Wire();
  readonly trace: string[] = [];
  readonly seen = new Map<string, number>();
  readonly messages: Message[];
  readonly owners = new LeaseOwners();
  readonly window: WindowServer;
  /** Effects and dead letters, by key. */
  readonly done: string[] = [];
  readonly dead: string[] = [];
  readonly books = { allowed: 0 };
  readonly #budget: Budget;
  #fault: Violation | undefined;

  constructor(plan: LeasePlan, chance: Chance, makeStore: MakeStore) {
    this.plan = plan;
    this.chance = chance;
    this.#budget = { ...plan.faults };
    this.messages = Array.from(plan.messages, (key, i) => ({
      name: `m${i}`,
      key,
      holder: undefined,
      acknowledged: false,
    }));
    this.window = new WindowServer(this.wire, makeStore, windowMs);
  }

  say(line: string): void {
    this.trace.push(line);
  }
  count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
  left(fault: Fault): number {
    return this.#budget[fault] ?? 0;
  }
  use(fault: Fault): void {
    this.#budget[fault] = this.left(fault) - 1;
    this.count(fault);
  }

  /** As one consumer sees it; the owners are told what the store answered, whoever hears it. */
  storeFor(consumer: string): Pick<WindowStore, 'claim' | 'settle' | 'release'> {
    const call = <T>(
      what: string,
      key: string,
      work: (s: WindowStore) => Promise<T>,
      told: (answer: T) => void,
    ) =>
      this.wire.call(consumer, 'store', `${what} ${key}`, () =>
        this.window.carryOut(work).then((answer) => {
          this.#attempt(() => {
            told(answer);
          });
          return answer;
        }),
      );
    return {
      claim: (claim) => {
        const key = this.#keyOf(claim.fingerprints);
        return call(
          'claims',
          key,
          (s) => s.claim(claim),
          (answer) => {
            this.owners.granted(key, claim, answer, this.wire.now);
          },
        );
      },
      settle: (claims) => {
        const key = this.#keyOf(chosen(claims).fingerprints);
        return call(
          'settles',
          key,
          (s) => s.settle(claims),
          (answer) => {
            this.owners.settled(key, claims, answer, this.wire.now);
          },
        );
      },
      release: (claims) => {
        const key = this.#keyOf(chosen(claims).fingerprints);
        return call(
          'releases',
          key,
          (s) => s.release(claims),
          (answer) => {
            this.owners.released(key, claims, answer, this.wire.now);
          },
        );
      },
    };
  }

  /** The effect is written, or rejected for good. */
  write(key: string): 'done' | 'rejected' {
    if (this.left('reject') > 0 && this.chance.choose([2, 1]) === 1) {
      this.use('reject');
      this.say(`the sink rejects ${key} for good`);
      return 'rejected';
    }
    this.done.push(key);
    const times = this.done.filter((it) => it === key).length;
    const allowed = 1 + this.books.allowed + (this.owners.cutOffs.get(key) ?? 0);
    if (times > allowed)
      this.#fault ??= new Violation('REPEAT', `${key} is done ${times} times, ${allowed} are allowed`);
    return 'done';
  }

  acknowledge(message: Message): void {
    const { key, name } = message;
    message.acknowledged = true;
    message.holder = undefined;
    if (!this.done.includes(key) && !this.dead.includes(key))
      this.#fault ??= new Violation('EARLY', `${name} is acknowledged, ${key} is nowhere`);
    else if (!this.owners.isSettled(key) && !this.dead.includes(key) && this.books.allowed === 0)
      this.#fault ??= new Violation('EARLY', `${name} is acknowledged, ${key} is not settled`);
  }

  endWindow(): void {
    this.wire.now += windowMs + tickMsMax(windowMs);
    this.books.allowed++;
    this.owners.windowEnded();
    this.say('a window passes');
  }

  check(): void {
    if (this.#fault) throw this.#fault;
  }
  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.#fault ??= error;
    }
  }

  fingerprintOf(key: string): Uint32Array {
    return simulatedIdentity().fingerprintOf(key);
  }
  #keyOf(fingerprints: Uint32Array): string {
    const keys = new Set(this.plan.messages);
    return [...keys].find((key) => this.fingerprintOf(key).join() === fingerprints.join()) ?? '?';
  }
}
