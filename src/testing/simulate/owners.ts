import { chosen, type Claim, type Claims, type WindowStore } from '../../core/store.ts';
import type { PartitionSession } from '../../core/session.ts';
import { Verdict } from '../../core/verdict.ts';
import { Violation } from './violation.ts';

interface Owned {
  readonly session: PartitionSession;
  readonly position: number;
  readonly fingerprint: Uint32Array;
}

/**
 * Who owns each open claim, by what a store has answered. A claim of a live session ends by a settle, by its own
 * release or by an audit of its session, and becomes another's only by a take-over that was asked for.
 */
export class Owners {
  readonly #owned = new Map<string, Owned>();
  /** The newest epoch that the store was told, by partition. */
  readonly #epochs = new Map<string, number>();
  #theft: string | undefined;
  #changed = false;

  /** The same store, watched. */
  watch(store: WindowStore): WindowStore {
    return {
      supports: store.supports,
      windowMs: store.windowMs,
      enter: async (entries) => {
        const answers = await store.enter(entries);
        entries.forEach(({ session }, i) => {
          if (!answers[i]) this.#learn(session);
        });
        return answers;
      },
      claim: async (claim) => {
        const answer = await store.claim(claim);
        if ('verdicts' in answer) this.#grant(claim, answer.verdicts);
        return answer;
      },
      settle: async (claims) => {
        const answer = await store.settle(claims);
        for (const { name } of each(claims)) this.#owned.delete(name);
        this.#changed = true;
        return answer;
      },
      release: async (claims) => {
        const answer = await store.release(claims);
        each(claims).forEach((one, i) => {
          if (answer[i] === 1 && isSame(this.#owned.get(one.name), one)) this.#owned.delete(one.name);
        });
        this.#changed = true;
        return answer;
      },
      trim: async (session, below) => {
        const fenced = await store.trim(session, below);
        if (!fenced) this.#learn(session);
        return fenced;
      },
      audit: async (session, audit) => {
        const fenced = await store.audit(session, audit);
        if (fenced) return fenced;
        this.#learn(session);
        const listed = new Map(each({ ...audit, session }).map((one) => [one.name, one]));
        for (const [name, owned] of this.#owned)
          if (isOf(owned, session) && !isSame(owned, listed.get(name))) this.#owned.delete(name);
        return undefined;
      },
      forget: (fingerprints) => store.forget(fingerprints),
      look: (fingerprints) => store.look(fingerprints),
      stats: () => store.stats(),
      onLoss: (listener) => store.onLoss(listener),
      close: () => store.close(),
    };
  }

  /** Looks at the store from outside: whoever lives still has his claim. */
  async check(store: WindowStore): Promise<void> {
    if (this.#theft) throw new Violation('THEFT', this.#theft);
    if (!this.#changed) return;
    this.#changed = false;
    for (const owned of this.#owned.values()) {
      if (!this.#isAlive(owned)) continue;
      const [sight] = await store.look(owned.fingerprint);
      const isThere =
        sight.state === 'open' &&
        sight.owner.kind === 'partition' &&
        isOf(owned, sight.owner) &&
        sight.position === owned.position;
      if (!isThere)
        throw new Violation('THEFT', `the claim of ${describe(owned)} is gone, its session lives`);
    }
  }

  #learn({ partition, epoch }: PartitionSession): void {
    this.#epochs.set(partition, Math.max(epoch, this.#epochs.get(partition) ?? 0));
    this.#changed = true;
  }

  #grant(claim: Claim, verdicts: Uint8Array): void {
    if (claim.session.kind === 'partition') this.#learn(claim.session);
    each(claim).forEach((one, i) => {
      if (verdicts[i] !== Verdict.first && verdicts[i] !== Verdict.resumed) return;
      const before = this.#owned.get(one.name);
      if (before && !isSame(before, one) && this.#isAlive(before) && !claim.takeOver)
        this.#theft ??= `${describe(one)} gets the claim of ${describe(before)}, whose session lives`;
      this.#owned.set(one.name, one);
    });
  }

  #isAlive({ session: { partition, epoch } }: Owned): boolean {
    return epoch === this.#epochs.get(partition);
  }
}

function each(asked: Claims): (Owned & { name: string })[] {
  const { session, fingerprints, positions } = chosen(asked);
  if (session.kind !== 'partition') return [];
  return Array.from(positions, (position, i) => {
    const fingerprint = fingerprints.slice(4 * i, 4 * i + 4);
    return { session, position, fingerprint, name: fingerprint.join() };
  });
}

function isOf({ session }: Owned, { partition, epoch }: PartitionSession): boolean {
  return session.partition === partition && session.epoch === epoch;
}
function isSame(a: Owned | undefined, b: Owned | undefined): boolean {
  return a !== undefined && b !== undefined && isOf(a, b.session) && a.position === b.position;
}
function describe({ session: { partition, epoch }, position }: Owned): string {
  return `${partition}:${position} (epoch ${epoch % 1_000})`;
}
