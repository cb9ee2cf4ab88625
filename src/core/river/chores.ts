import type { Change } from './change.ts';

/** Work that goes on beside the reading. The first fault ends all of it. */
export class Chores {
  /** Anything can be thrown, even `undefined`. */
  fault: { readonly error: unknown } | undefined;
  readonly #underWay = new Set<Promise<void>>();
  readonly #end = new AbortController();
  readonly #change: Change;
  readonly #onFault: () => void;

  constructor(change: Change, onFault: () => void) {
    this.#change = change;
    this.#onFault = onFault;
  }

  /** Aborted: nothing is waited for any more. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }
  get idle(): boolean {
    return this.#underWay.size === 0;
  }

  /** A fault is kept, unless everything was told to end. Never rejects. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.fault ??= { error };
      this.#end.abort();
      this.#onFault();
    }
  }

  begin(work: () => Promise<void>): void {
    const chore = this.attempt(work).finally(() => {
      this.#underWay.delete(chore);
      this.#change.tell();
    });
    this.#underWay.add(chore);
  }

  /** What waits gives up; resolves when all has come back. */
  async end(): Promise<void> {
    this.#end.abort();
    this.#change.tell();
    await Promise.all(this.#underWay);
  }
}
