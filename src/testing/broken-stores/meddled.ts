import type { PartitionSession, Session } from '../../core/session.ts';
import {
  chosen,
  type Claim,
  type Claimed,
  type Claims,
  type Enter,
  type Entered,
  type Sight,
  type WindowStore,
} from '../../core/store.ts';
import { Verdict } from '../../core/verdict.ts';
import { memoryStore } from '../../stores/memory.ts';
import type { StoreFactory, StoreOptions } from '../store-suite/check.ts';

/** A store with one promise broken, in a way that somebody would build it. The suite must notice. */
export interface BrokenStore {
  readonly name: string;
  readonly make: StoreFactory;
  /** The check that says it best, as `theme: name`. */
  readonly failsCheck: string;
  /** The themes in which checks fail; in all others none does. */
  readonly themes: readonly string[];
}

/** One key of a call. */
export interface One {
  readonly session: Session;
  readonly fingerprints: Uint32Array;
  readonly positions: Float64Array;
  readonly bodies?: Uint32Array;
}

export function oneOf({ session, fingerprints, positions, bodies }: Claims, i: number): One {
  return {
    session,
    fingerprints: fingerprints.slice(4 * i, 4 * i + 4),
    positions: positions.slice(i, i + 1),
    ...(bodies && { bodies: bodies.slice(2 * i, 2 * i + 2) }),
  };
}

export function nameOf({ fingerprints }: One): string {
  return fingerprints.join();
}

function claimName(one: One): string {
  return JSON.stringify([nameOf(one), one.positions[0], one.session]);
}

export function isGranted(verdict: number): boolean {
  return verdict === Verdict.first || verdict === Verdict.resumed;
}

/** For each key of the call, one after another. */
export async function each(
  claims: Claims,
  work: (one: One) => Promise<number | undefined>,
): Promise<Uint8Array> {
  const answers = new Uint8Array(claims.positions.length);
  for (let i = 0; i < answers.length; i++) answers[i] = (await work(oneOf(claims, i))) ?? 0;
  return answers;
}

/** A partition, or the attempt that has a lease. */
export function placeOf(session: Session): string {
  return session.kind === 'lease' ? session.token : JSON.stringify([session.keySpace, session.partition]);
}

/** A store, and what somebody must know who meddles with it. */
export class Meddled {
  readonly store: WindowStore;
  readonly options: StoreOptions;
  /** All claims that were granted, the oldest first. */
  readonly granted: One[] = [];
  readonly #claims = new Set<string>();
  readonly #epochs = new Map<string, number>();

  constructor(options: StoreOptions, store: WindowStore) {
    this.options = options;
    this.store = store;
  }

  async look({ fingerprints }: One): Promise<Sight> {
    return (await this.store.look(fingerprints))[0];
  }

  /** What was granted to sessions of a partition below a position. */
  grantedBelow({ partition }: PartitionSession, below: number): One[] {
    return this.granted.filter(
      ({ session, positions }) =>
        session.kind === 'partition' && session.partition === partition && positions[0] < below,
    );
  }

  /** This very claim was granted before. */
  hasGranted(one: One): boolean {
    return this.#claims.has(claimName(one));
  }

  /** Whoever asks, it is done in the name of the owner of the open claim. */
  async asOwner(what: 'settle' | 'release', one: One): Promise<number | undefined> {
    const sight = await this.look(one);
    if (sight.state !== 'open') return undefined;
    const { owner: session, position } = sight;
    return (await this.store[what]({ ...one, session, positions: Float64Array.of(position) }))[0];
  }

  /** The session with the epoch that the store knows of its partition. */
  current<S extends Session>(session: S): S {
    if (session.kind === 'lease') return session;
    return { ...session, epoch: this.#epochs.get(placeOf(session)) ?? session.epoch };
  }

  /** The session, or what it was before it got an epoch that the store does not know. */
  atMost(session: PartitionSession): PartitionSession {
    return { ...session, epoch: Math.min(session.epoch, this.current(session).epoch) };
  }

  /** Claims, and answers something else than the store if `other` says so. */
  async claim(
    claim: Claim,
    other: (verdict: number, one: One) => number | Promise<number> = (verdict) => verdict,
  ): Promise<Claimed> {
    const claimed = await this.store.claim(claim);
    if ('fenced' in claimed) return claimed;
    if (claim.session.kind === 'partition') this.#epochs.set(placeOf(claim.session), claim.session.epoch);
    const verdicts = Uint8Array.from(claimed.verdicts);
    for (let i = 0; i < verdicts.length; i++) {
      const one = oneOf(claim, i);
      verdicts[i] = await other(claimed.verdicts[i], one);
      if (!isGranted(claimed.verdicts[i])) continue;
      this.granted.push(one);
      this.#claims.add(claimName(one));
    }
    return { ...claimed, verdicts };
  }

  async enter(entries: readonly Enter[]): Promise<Entered[]> {
    const entered = await this.store.enter(entries);
    entries.forEach(({ session }, i) => {
      if (!entered[i]) this.#epochs.set(placeOf(session), session.epoch);
    });
    return entered;
  }
}

export type Change = (meddled: Meddled) => Partial<WindowStore>;
interface More {
  /** Themes besides that of the check in which checks fail. */
  readonly themes?: readonly string[];
  /** Instead of the good store. */
  readonly of?: (options: StoreOptions) => WindowStore;
  readonly isQueued?: boolean;
  /** It gets the indices of a call, not just what they mean. */
  readonly getsIndices?: boolean;
}

export function broken(name: string, failsCheck: string, change: Change, more: More = {}): BrokenStore {
  const { themes = [], of = memoryStore, isQueued = true, getsIndices = false } = more;
  return {
    name,
    failsCheck,
    themes: [failsCheck.slice(0, failsCheck.indexOf(':')), ...themes],
    make: (options) => {
      const meddled = new Meddled(options, of(options));
      const { store } = meddled;
      const whole: WindowStore = {
        supports: store.supports,
        windowMs: store.windowMs,
        enter: (entries) => meddled.enter(entries),
        claim: (claim) => meddled.claim(claim),
        settle: (claims) => store.settle(claims),
        release: (claims) => store.release(claims),
        trim: (session, below) => store.trim(session, below),
        audit: (session, audit) => store.audit(session, audit),
        forget: (fingerprints) => store.forget(fingerprints),
        look: (fingerprints) => store.look(fingerprints),
        stats: () => store.stats(),
        onLoss: (listener) => store.onLoss(listener),
        close: () => store.close(),
        ...change(meddled),
      };
      const given = getsIndices ? whole : withoutIndices(whole);
      return isQueued ? inOrder(given) : given;
    },
  };
}

/** Whoever meddles finds just those elements in the arrays that are meant. */
function withoutIndices(store: WindowStore): WindowStore {
  return {
    ...store,
    claim: (claim) => store.claim(chosen(claim)),
    settle: (claims) => store.settle(chosen(claims)),
    release: (claims) => store.release(chosen(claims)),
    audit: (session, audit) => store.audit(session, chosen(audit)),
  };
}

/** Meddling takes several steps: one call is over before the next begins, so that only one thing is broken. */
function inOrder(store: WindowStore): WindowStore {
  let last: Promise<unknown> = Promise.resolve();
  const turn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    ...store,
    enter: (entries) => turn(() => store.enter(entries)),
    claim: (claim) => turn(() => store.claim(claim)),
    settle: (claims) => turn(() => store.settle(claims)),
    release: (claims) => turn(() => store.release(claims)),
    trim: (session, below) => turn(() => store.trim(session, below)),
    audit: (session, audit) => turn(() => store.audit(session, audit)),
    forget: (fingerprints) => turn(() => store.forget(fingerprints)),
    look: (fingerprints) => turn(() => store.look(fingerprints)),
  };
}
