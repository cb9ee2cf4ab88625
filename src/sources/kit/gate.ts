/** Lets everybody pass while it is open; it is closed at first. */
export class Gate {
  #passed!: Promise<void>;
  #isOpen = true;
  #let!: () => void;

  constructor() {
    this.close();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves when it is open. */
  get passed(): Promise<void> {
    return this.#passed;
  }

  open(): void {
    this.#isOpen = true;
    this.#let();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#passed = new Promise((resolve) => (this.#let = resolve));
  }
}
