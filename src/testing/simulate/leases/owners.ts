import type { Claim, Claims, Claimed } from '../../../core/store.ts';
import { Verdict } from '../../../core/verdict.ts';
import { Violation } from '../violation.ts';

interface Owned {
  readonly token: string;
  readonly fence: number;
  /** Monotonic ms */
  ends: number;
}

/** Who has which key on lease, by what the store has answered and the time that has passed. */
export class LeaseOwners {
  /** How often a key may be done beyond the first time: a lease ended before its work was settled. */
  readonly cutOffs = new Map<string, number>();
  readonly #owned = new Map<string, Owned>();
  readonly #settled = new Set<string>();
  /** What each attempt heard when it settled. */
  readonly #answers = new Map<string, number>();
  readonly #granted = new Set<string>();
  #fence = 0;

  isSettled(key: string): boolean {
    return this.#settled.has(key);
  }

  granted(key: string, claim: Claim, answer: Claimed, now: number): void {
    if (claim.session.kind !== 'lease' || !('verdicts' in answer)) return;
    const [verdict] = answer.verdicts;
    if (verdict !== Verdict.first && verdict !== Verdict.resumed) return;
    const { token, leaseMs } = claim.session;
    const before = this.#owned.get(key);
    const fence = answer.fences?.[0] ?? Number.NaN;
    if (before?.token === token && before.fence === fence) {
      before.ends = now + leaseMs;
      return;
    }
    if (before?.token === token && before.ends > now)
      throw new Violation('FENCE', `${token} has ${key} again, and another fence`);
    if (before && before.ends > now)
      throw new Violation('THEFT', `${token} gets ${key}, the lease of ${before.token} has not ended`);
    if (!(fence > this.#fence))
      throw new Violation('FENCE', `${token} gets ${key} with a fence that is not above all before it`);
    if (before && before.token !== token) this.cutOffs.set(key, (this.cutOffs.get(key) ?? 0) + 1);
    this.#fence = fence;
    this.#granted.add(`${token} ${key}`);
    this.#owned.set(key, { token, fence, ends: now + leaseMs });
  }

  settled(key: string, { session }: Claims, [answer]: Uint8Array, now: number): void {
    if (session.kind !== 'lease') return;
    const { token } = session;
    const name = `${token} ${key}`;
    const owned = this.#owned.get(key);
    const inTime = owned?.token === token && owned.ends > now;
    const expected = this.#answers.get(name) ?? (inTime ? 0 : 1);
    if (answer !== expected && this.#granted.has(name))
      throw new Violation(
        'LATE',
        `${token} settles ${key} and hears ${answer}, its lease ${inTime ? 'lives' : 'was over'}`,
      );
    this.#answers.set(name, expected);
    this.#settled.add(key);
    this.#owned.delete(key);
  }

  released(key: string, { session }: Claims, [answer]: Uint8Array, now: number): void {
    if (session.kind !== 'lease' || answer === 0) return;
    const owned = this.#owned.get(key);
    if (owned && owned.token !== session.token && owned.ends > now)
      throw new Violation('THEFT', `${session.token} releases ${key}, which ${owned.token} has`);
    this.#owned.delete(key);
  }

  /** All marks end, and with them what was said about them. */
  windowEnded(): void {
    this.#granted.clear();
    this.#settled.clear();
  }
}
