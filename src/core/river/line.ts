import type { Part } from './part.ts';

/** A copy's place in the line of its key: a ring, in which the last one stands before the first. */
export class Place {
  part: Part;
  index: number;
  #before: Place = this;
  #behind: Place = this;

  constructor(part: Part, index: number) {
    this.part = part;
    this.index = index;
  }

  /** In front of the first is at the end. */
  stepInFrontOf(other: Place): void {
    this.#before = other.#before;
    this.#behind = other;
    other.#before.#behind = this;
    other.#before = this;
  }

  /** Answers who stood behind, if there is anybody else. */
  stepOut(): Place | undefined {
    const next = this.#behind;
    next.#before = this.#before;
    this.#before.#behind = next;
    return next === this ? undefined : next;
  }

  /** Who stands behind, up to the end if this is the first. Whoever was just given may step out. */
  *others(): Generator<Place> {
    for (let place = this.#behind, next; place !== this; place = next) {
      next = place.#behind;
      yield place;
    }
  }
}
