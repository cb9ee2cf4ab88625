import type { PartitionSession, Session } from '../../core/session.ts';
import type { Claim, Claims, WindowStore } from '../../core/store.ts';
import { wordOf, type Word } from '../verdict-words.ts';

/** The fingerprint of a key: 112 bits that look like chance. */
export function fingerprintsOf(keys: readonly string[]): Uint32Array {
  const block = new Uint32Array(4 * keys.length);
  keys.forEach((key, i) => {
    for (let word = 0; word < 4; word++) {
      let hash = 0x811c9dc5 ^ Math.imul(word + 1, 0x9e3779b1);
      for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
      hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
      block[4 * i + word] = hash ^ (hash >>> 15);
    }
    block[4 * i + 3] &= 0xffff0000;
  });
  return block;
}

export type VerdictWord = Word | 'fenced';

/** A delivery as a check writes it. */
export interface Delivery {
  readonly key: string;
  readonly position?: number;
  /** Any number but 0. */
  readonly body?: number;
  /** The name of the key by position and bytes. */
  readonly standIn?: string;
}
type OneOrMore = string | Delivery | readonly Delivery[];
export interface Answer {
  readonly words: VerdictWord[];
  readonly accepted: Float64Array;
  readonly fences: Float64Array;
}

export class Caller {
  readonly store: WindowStore;
  readonly session: Session;
  /** The number of the latest claim. */
  calls = 0;

  constructor(store: WindowStore, session: Session) {
    this.store = store;
    this.session = session;
  }

  /** The verdict on one delivery. */
  async claim(
    key: string,
    position = 0,
    more: Partial<Delivery> & { takeOver?: boolean } = {},
  ): Promise<VerdictWord> {
    const { takeOver = false, ...delivery } = more;
    return (await this.claimAll([{ key, position, ...delivery }], { takeOver })).words[0];
  }

  /** `again` = the same request once more. */
  async claimAll(
    deliveries: readonly Delivery[],
    { again = false, takeOver = false }: { again?: boolean; takeOver?: boolean } = {},
  ): Promise<Answer> {
    if (!again) this.calls++;
    const claim: Claim = { ...this.claims(deliveries), call: this.calls, takeOver };
    const claimed = await this.store.claim(claim);
    if ('fenced' in claimed) {
      return {
        words: deliveries.map(() => 'fenced'),
        accepted: new Float64Array(0),
        fences: new Float64Array(0),
      };
    }
    return {
      words: Array.from(claimed.verdicts, (verdict) => wordOf(verdict)),
      accepted: claimed.accepted,
      fences: claimed.fences ?? new Float64Array(deliveries.length),
    };
  }

  /** Claims it as the first and settles it. */
  async finish(key: string, position = 0, more: Partial<Delivery> = {}): Promise<void> {
    const verdict = await this.claim(key, position, more);
    if (verdict !== 'first' && verdict !== 'resumed') throw new Error(`${key} is ${verdict}, not first`);
    await this.settle(key, position, more);
  }

  /** True = overtaken. */
  async settle(key: string, position = 0, more: Partial<Delivery> = {}): Promise<boolean> {
    return (await this.store.settle(this.claims({ key, position, ...more })))[0] === 1;
  }

  /** True = released. */
  async release(key: string, position = 0): Promise<boolean> {
    return (await this.store.release(this.claims({ key, position })))[0] === 1;
  }

  claims(deliveries: OneOrMore): Claims & Pick<Claim, 'standIns'> {
    const all = typeof deliveries === 'string' ? [{ key: deliveries }] : [deliveries].flat();
    const withBodies = all.some(({ body }) => body !== undefined);
    const withStandIns = all.some(({ standIn }) => standIn !== undefined);
    return {
      session: this.session,
      fingerprints: fingerprintsOf(all.map(({ key }) => key)),
      positions: Float64Array.from(all, ({ position = 0 }: Delivery) => position),
      ...(withBodies && { bodies: Uint32Array.from(all.flatMap(({ body = 0 }) => [body, 0])) }),
      ...(withStandIns && { standIns: fingerprintsOf(all.map(({ standIn = '' }) => standIn)) }),
    };
  }
}

export class PartitionCaller extends Caller {
  declare readonly session: PartitionSession;

  /** The epoch that the store knows, if this one is not above it. */
  async enter(settleBelow?: { checkpoint: number; writer: number }): Promise<number | undefined> {
    const [entered] = await this.store.enter([
      { session: this.session, ...(settleBelow && { settleBelow }) },
    ]);
    return entered?.fenced;
  }

  async trim(below: number): Promise<number | undefined> {
    return (await this.store.trim(this.session, below))?.fenced;
  }

  /** Lists these as all that it has, as of its latest claim or of another one. */
  async audit(deliveries: readonly Delivery[], call = this.calls): Promise<number | undefined> {
    return (await this.store.audit(this.session, { ...this.claims(deliveries), call }))?.fenced;
  }
}
