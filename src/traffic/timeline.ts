interface Entry<T> {
  readonly at: number;
  /** Of those at the same moment the one that was put in first comes first. */
  readonly order: number;
  readonly what: T;
}

/** What is to happen, earliest first. */
export class Timeline<T> {
  readonly #heap: Entry<T>[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** When the next one happens, ms since 1970; Infinity if there is none. */
  get nextAt(): number {
    return this.#heap.length > 0 ? this.#heap[0].at : Infinity;
  }

  put(at: number, what: T): void {
    const heap = this.#heap;
    const entry = { at, order: this.#order++, what };
    let hole = heap.length;
    while (hole > 0 && isBefore(entry, heap[(hole - 1) >> 1])) {
      heap[hole] = heap[(hole - 1) >> 1];
      hole = (hole - 1) >> 1;
    }
    heap[hole] = entry;
  }

  take(): T | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return last?.what;
    let hole = 0;
    for (let child = 1; child < heap.length; child = 2 * hole + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = last;
    return first.what;
  }
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
