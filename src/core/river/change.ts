/** Resolves promises that wait for a change of state; who waits checks again. */
export class Change {
  #resolve: () => void = () => undefined;
  #next = new Promise<void>((resolve) => (this.#resolve = resolve));

  tell(): void {
    this.#resolve();
    this.#next = new Promise((resolve) => (this.#resolve = resolve));
  }
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#next;
  }
}
