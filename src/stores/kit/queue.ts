/** Something with a first position; while nothing is live in it, it does not count. */
export interface Queued {
  readonly first: number;
  readonly live: number;
}

/** Items by their first position, which may only change while they are out. What is new is put in order when asked. */
export class Queue<T extends Queued> {
  readonly #new = new Set<T>();
  /** A heap; what is removed stays until it comes to the front, or is one of too many. */
  #heap: T[] = [];
  #size = 0;

  add(item: T): void {
    this.#new.add(item);
    this.#size++;
  }

  /** Nothing is live in it any more. */
  remove(item: T): void {
    this.#size--;
    if (this.#new.delete(item) || this.#heap.length <= 2 * this.#size + 8) return;
    this.#heap = this.#heap.filter(({ live }) => live > 0).sort((a, b) => a.first - b.first);
  }

  *[Symbol.iterator](): Generator<T> {
    for (const item of this.#heap) if (item.live > 0) yield item;
    yield* this.#new;
  }

  /** Those that begin below; each is out until all were seen. */
  *below(position: number): Generator<T> {
    for (const item of this.#new) this.#push(item);
    this.#new.clear();
    const seen: T[] = [];
    while (this.#heap.length > 0 && this.#heap[0].first < position) {
      const item = this.#pop();
      if (item.live === 0) continue;
      yield item;
      seen.push(item);
    }
    for (const item of seen) if (item.live > 0) this.#push(item);
  }

  #push(item: T): void {
    const heap = this.#heap;
    let at = heap.length;
    for (let above = (at - 1) >> 1; at > 0 && heap[above].first > item.first; above = (at - 1) >> 1) {
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = item;
  }

  #pop(): T {
    const heap = this.#heap;
    const [top] = heap;
    const item = heap[heap.length - 1];
    heap.length--;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1].first < heap[child].first) child++;
      if (heap[child].first >= item.first) break;
      heap[at] = heap[child];
      at = child;
    }
    if (heap.length > 0) heap[at] = item;
    return top;
  }
}
