import type { CrashAt } from './crash-points.ts';
import type { Segment } from './segments.ts';

/** Segments whose marks are over. What was left in them is written again, but maybe not on the disk yet. */
export class Leaving {
  readonly #segments: Segment[] = [];
  readonly #crashAt: CrashAt;
  #dropping: Promise<void> | undefined;

  constructor(crashAt: CrashAt) {
    this.#crashAt = crashAt;
  }

  add(segment: Segment): void {
    this.#segments.push(segment);
  }

  get last(): Segment | undefined {
    return this.#segments.at(-1);
  }

  /** One after another, the oldest first: whoever opens the log finds no gap in it. */
  async dropUntil(last: Segment): Promise<void> {
    while (this.#segments.includes(last)) await (this.#dropping ??= this.#dropFirst());
  }

  async #dropFirst(): Promise<void> {
    try {
      this.#crashAt('segment.before-drop');
      await this.#segments[0].drop();
      this.#segments.shift();
      this.#crashAt('segment.dropped');
    } finally {
      this.#dropping = undefined;
    }
  }
}
