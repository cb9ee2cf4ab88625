import type { Session } from '../core/session.ts';
import type { Claims, Sight, WindowStore } from '../core/store.ts';
import { Verdict } from '../core/verdict.ts';
import { memoryStore } from '../stores/memory.ts';
import type { StoreFactory, StoreOptions } from './store-suite/check.ts';

/** A store with one promise broken, in a way that somebody would build it. The suite must notice. */
export interface BrokenStore {
  readonly name: string;
  readonly make: StoreFactory;
  /** Theme and name of the check that says it best. */
  readonly failsCheck: string;
  /** All themes in which checks fail; those of the others must pass. */
  readonly themes: readonly string[];
}

/** One key of a call. */
interface One {
  readonly session: Session;
  readonly fingerprints: Uint32Array;
  readonly positions: Float64Array;
}

function oneOf({ session, fingerprints, positions }: Claims, i: number): One {
  return { session, fingerprints: fingerprints.slice(4 * i, 4 * i + 4), positions: positions.slice(i, i + 1) };
}
const nameOf = ({ fingerprints }: One) => fingerprints.join();
const isGranted = (verdict: number) => verdict === Verdict.first || verdict === Verdict.resumed;

/** The good store, with what a broken one needs to meddle: it remembers who was granted what. */
class Meddled {
  readonly store: WindowStore;
  readonly options: StoreOptions;
  readonly granted: One[] = [];
  readonly epochs = new Map<string, number>();

  constructor(options: StoreOptions) {
    this.options = options;
    this.store = memoryStore(options);
  }

  async look({ fingerprints }: One): Promise<Sight> {
    return (await this.store.look(fingerprints))[0];
  }

  /** What a session was granted in a partition below a position. */
  grantedBelow(partition: string, below: number): One[] {
    return this.granted.filter(
      ({ session, positions }) =>
        session.kind === 'partition' && session.partition === partition && positions[0] < below,
    );
  }

  /** The owner of an open claim does it, whoever asked. */
  async asOwner(what: 'settle' | 'release', one: One): Promise<void> {
    const sight = await this.look(one);
    if (sight.state !== 'open') return;
    const { owner: session, position } = sight;
    await this.store[what]({ ...one, session, positions: Float64Array.of(position) });
  }

  /** The same session with the epoch that the store knows. */
  current(session: Session): Session {
    if (session.kind === 'lease') return session;
    return { ...session, epoch: this.epochs.get(session.partition) ?? session.epoch };
  }

  /** Other verdicts than the store's. */
  async claim(
    claim: Parameters<WindowStore['claim']>[0],
    other: (verdict: number, one: One, i: number) => number = (verdict) => verdict,
  ): ReturnType<WindowStore['claim']> {
    const claimed = await this.store.claim(claim);
    if ('fenced' in claimed) return claimed;
    const { session } = claim;
    if (session.kind === 'partition') this.epochs.set(session.partition, session.epoch);
    const verdicts = claimed.verdicts.map((verdict, i) => {
      const one = oneOf(claim, i);
      const answer = other(verdict, one, i);
      if (isGranted(verdict)) this.granted.push(one);
      return answer;
    });
    return { ...claimed, verdicts };
  }

  async enter(entries: Parameters<WindowStore['enter']>[0]): ReturnType<WindowStore['enter']> {
    const entered = await this.store.enter(entries);
    entries.forEach(({ session: { partition, epoch } }, i) => {
      if (!entered[i]) this.epochs.set(partition, epoch);
    });
    return entered;
  }
}

type Change = (meddled: Meddled) => Partial<WindowStore>;

/** `failsCheck` is theme and name; checks of other themes may fail only if they are named. */
function broken(
  name: string,
  failsCheck: string,
  change: Change,
  { themes = [], options = (all) => all }: { themes?: string[]; options?: (all: StoreOptions) => StoreOptions } = {},
): BrokenStore {
  return {
    name,
    failsCheck,
    themes: [failsCheck.slice(0, failsCheck.indexOf(':')), ...themes],
    make: (given) => {
      const meddled = new Meddled(options(given));
      const { store } = meddled;
      const all: WindowStore = {
        supports: store.supports,
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
      };
      return inOrder({ ...all, ...change(meddled) });
    },
  };
}

/** Meddling takes several steps; one call is over before the next begins, so that nothing else breaks. */
function inOrder(store: WindowStore): WindowStore {
  let last: Promise<unknown> = Promise.resolve();
  const queued =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> => {
      const result = last.then(() => call(...args));
      last = result.catch(() => undefined);
      return result;
    };
  return {
    ...store,
    enter: queued(store.enter),
    claim: queued(store.claim),
    settle: queued(store.settle),
    release: queued(store.release),
    trim: queued(store.trim),
    audit: queued(store.audit),
    forget: queued(store.forget),
    look: queued(store.look),
  };
}

/** For each key of the call, one after another. */
async function each(claims: Claims, work: (one: One, i: number) => Promise<number>): Promise<Uint8Array> {
  const answers = new Uint8Array(claims.positions.length);
  for (let i = 0; i < answers.length; i++) answers[i] = await work(oneOf(claims, i), i);
  return answers;
}

const { first, resumed, duplicate, conflict, held, doneFirst, doneResumed, doneConflict } = Verdict;

const verdictsAndTime: readonly BrokenStore[] = [
  broken(
    'knows only 32 bits of a fingerprint',
    'first and duplicate: each of the 112 bits makes another key',
    ({ store }) => {
      const cut = (block: Uint32Array) => block.map((word, i) => (i % 4 === 0 ? word : 0));
      return { claim: (claim) => store.claim({ ...claim, fingerprints: cut(claim.fingerprints) }) };
    },
    { themes: ['settle', 'release', 'trim and tail', 'audit', 'held'] },
  ),
  broken(
    'lets two firsts into one call',
    'first and duplicate: two equal keys in one call are never two firsts',
    (meddled) => ({
      claim: (claim) => {
        const seen = new Set<string>();
        return meddled.claim(claim, (verdict, one) => {
          const again = seen.has(nameOf(one));
          seen.add(nameOf(one));
          return again && verdict === held ? first : verdict;
        });
      },
    }),
  ),
  broken(
    'works out from a watermark what is settled',
    'first and duplicate: a new key at an old position is first',
    (meddled) => {
      const marks = new Map<string, number>();
      return {
        claim: (claim) =>
          meddled.claim(claim, (verdict, { session, positions }) => {
            const mark = session.kind === 'partition' ? (marks.get(session.partition) ?? 0) : 0;
            return isGranted(verdict) && positions[0] < mark ? duplicate : verdict;
          }),
        trim: async (session, below) => {
          marks.set(session.partition, Math.max(below, marks.get(session.partition) ?? 0));
          return meddled.store.trim(session, below);
        },
      };
    },
  ),
  broken(
    'works out from the checkpoint what is settled',
    'trim and tail: what this very delivery has settled is done already, until its entry is trimmed',
    (meddled) => ({
      claim: (claim) =>
        meddled.claim(claim, (verdict) => (verdict === doneFirst || verdict === doneResumed ? resumed : verdict)),
    }),
  ),
];
export const brokenStores = [...verdictsAndTime, conflict, doneConflict];
