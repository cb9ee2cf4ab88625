/**
 * Claims of leases that somebody else took over or settled: whoever settles one later learns that it was overtaken,
 * also when nothing else of it is left. Kept for one window.
 */
export class Lost {
  /** When it was lost, by key and token, the oldest first. */
  readonly #losses = new Map<string, number>();

  /** `key` as text of fixed length. */
  add(token: string, key: string, now: number): void {
    this.#losses.delete(key + token);
    this.#losses.set(key + token, now);
  }

  has(token: string, key: string): boolean {
    return this.#losses.has(key + token);
  }

  /** The lease has claimed it again. */
  remove(token: string, key: string): void {
    this.#losses.delete(key + token);
  }

  dropBefore(horizon: number): void {
    if (this.#losses.size === 0) return;
    for (const [loss, lostAt] of this.#losses) {
      if (lostAt >= horizon) return;
      this.#losses.delete(loss);
    }
  }
}
