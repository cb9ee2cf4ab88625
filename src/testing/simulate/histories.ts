import type { Step } from './step.ts';

/**
 * What each party has seen, in order. Two runs in which each party has seen the same are the same run, in whatever
 * order things happened that have no party in common; so only one of them need go on. Histories are kept as hashes
 * of 53 bits.
 */
export class Histories {
  readonly #of = new Map<string, number>();
  /** Of whoever was not seen since: what was seen by all. */
  #all = 0;

  /** Step number `k` of those that were possible, with what chance made of it. */
  add({ event }: Step, k: number, now: number, picks: readonly number[]): void {
    if (event) {
      const what = `${event.what} ${now} ${picks.join()}`;
      for (const party of event.parties)
        this.#of.set(party, hash(`${this.#of.get(party) ?? this.#all} ${what}`));
      return;
    }
    this.#all = hash(`${this.key(now)} ${k} ${picks.join()}`);
    this.#of.clear();
  }

  key(now: number): number {
    const each = [...this.#of].map(([party, history]) => `${party} ${history}`).sort();
    return hash(`${now} ${this.#all} ${each.join(' ')}`);
  }
}

/** FNV-1a, twice. */
function hash(text: string): number {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x01000193);
    b = Math.imul(b ^ c, 0x85ebca6b);
    b ^= b >>> 15;
  }
  return (a >>> 0) * 2 ** 21 + (b >>> 11);
}
