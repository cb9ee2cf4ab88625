/** Group commit for a database that has none: all that waits is done in one transaction. */
export class Groups {
  readonly #transaction: (work: () => void) => unknown;
  #waiting: { readonly work: () => void; readonly done: () => void }[] = [];
  #running = false;

  /** `transaction` calls `work` and is over, at once or by its promise, when what it did is on the disk. */
  constructor(transaction: (work: () => void) => unknown) {
    this.#transaction = transaction;
  }

  do<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      let answer: T;
      this.#waiting.push({
        work: () => (answer = work()),
        done: () => {
          resolve(answer);
        },
      });
      if (!this.#running) setImmediate(() => void this.#run());
      this.#running = true;
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      await this.#transaction(() => {
        for (const { work } of group) work();
      });
      for (const { done } of group) done();
    }
    this.#running = false;
  }
}
