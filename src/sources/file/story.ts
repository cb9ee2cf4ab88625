import type { Clock } from '../../core/clock.ts';
import type { Happening } from '../../core/source.ts';
import { batchesOf } from './batches-of.ts';
import { inputFault } from './fault.ts';
import type { Input } from './input.ts';
import { setOver } from './known-files.ts';
import type { LineFramer } from './line-framer.ts';
import { isGone, listFiles, nothingToRead, totalSize, type Wanted } from './listing.ts';
import { openPlace, type Watch } from './open-place.ts';
import type { Place, Roster } from './roster.ts';

/** What comes next, unless its place was started again meanwhile. */
export interface Step {
  readonly happening: Happening;
  readonly place?: Place;
  readonly starts?: number;
}

interface Parts {
  readonly wanted: Wanted;
  readonly watch: Watch;
  readonly chunkSizeMax: number;
  readonly clock: Clock;
  readonly roster: Roster;
  readonly framer: LineFramer;
}

const pollMs = 1_000;
/** Looking at many files takes its time: it rests so many times longer. */
const restMin = 10;
const drainMs = 30_000;

/** One place after another is read; at the end it ends, or looks for news for ever. */
export class Story {
  readonly progress: { bytesRead: number; bytesTotal: number | undefined } = {
    bytesRead: 0,
    bytesTotal: undefined,
  };
  readonly #parts: Parts;
  /** Whose hand is empty. */
  readonly #left: { readonly place: Place; readonly isOver: boolean }[] = [];
  /** The next place to look at. */
  #at = 0;
  /** The list of files is not true any more. */
  #isStale = true;
  /** How long it took to look for news. */
  #lookMs = 0;
  #isClosed = false;
  #wake = new AbortController();
  #input: Input | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A place was started again. */
  lookBack(): void {
    this.#at = 0;
    this.#wake.abort();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake.abort();
    await this.#input?.close();
  }

  async *steps(): AsyncGenerator<Step, void> {
    yield* this.#list('refuse');
    while (!this.#isClosed) {
      if (this.#at < this.#parts.roster.order.length) {
        const place = this.#parts.roster.order[this.#at++];
        if (!place.isRead) yield* this.#visit(place);
      } else if (this.#isStale) {
        yield* this.#list('leave out');
      } else if (this.#parts.watch.follow) {
        this.#wake = new AbortController();
        await this.#parts.clock.sleep(Math.max(pollMs, restMin * this.#lookMs), this.#wake.signal);
        this.#isStale = true;
      } else {
        yield { happening: { type: 'end' } };
      }
    }
  }

  /** What is there now, and what became of the partitions. */
  async *#list(ifGone: 'refuse' | 'leave out'): AsyncGenerator<Step, void> {
    const startedAt = this.#parts.clock.monotonic();
    const found = await listFiles(this.#parts.wanted, ifGone);
    if (found.length === 0 && !this.#parts.watch.follow) throw nothingToRead(this.#parts.wanted);
    const { assigned, gone } = await this.#parts.roster.update(found);
    this.#lookMs = this.#parts.clock.monotonic() - startedAt;
    this.#isStale = false;
    this.#at = 0;
    if (ifGone === 'refuse') {
      if (!this.#parts.watch.follow) this.progress.bytesTotal = totalSize(found);
      yield* told('retired', this.#parts.roster.absent());
    }
    yield* told(
      'assigned',
      assigned.map(({ partition }) => partition),
    );
    for (const place of gone) yield* this.#letGo(place, false);
    yield* told('retired', await this.#emptied());
  }

  /** What is in hand of it is finished first, then it is retired. */
  *#letGo(place: Place, isOver: boolean): Generator<Step, void> {
    const { partition, from, stats, path } = place;
    const hasMore = path.endsWith('.gz') ? !place.isRead : stats.size > from;
    const to = Math.max(from, stats.size);
    if (place.isFile && hasMore && !isOver)
      yield { happening: { type: 'gap', partition, from, to, reason: 'the file is gone' } };
    const done = () => {
      this.#left.push({ place, isOver });
    };
    yield { happening: { type: 'revoked', partitions: [partition], drainMs, done } };
  }

  /** Partitions that were let go and of which nothing is in hand any more, unless they came back. */
  async #emptied(): Promise<string[]> {
    const left = this.#left.splice(0);
    for (const { place, isOver } of left) if (isOver) await setOver(this.#parts.watch.knownFiles, place);
    return left
      .map(({ place: { partition } }) => partition)
      .filter((partition) => !this.#parts.roster.get(partition));
  }

  async *#visit(place: Place): AsyncGenerator<Step, void> {
    await place.gate.passed;
    const { starts } = place;
    const input = await this.#open(place);
    const isOld = () => place.isFile && place.starts !== starts;
    if (this.#isClosed || isOld()) {
      if (typeof input === 'object') await input.close();
    } else if (input === 'replaced') {
      this.#parts.roster.end(place);
      this.#isStale = true;
      yield* this.#letGo(place, true);
    } else if (input) {
      yield* this.#read(place, input, isOld);
    } else place.isRead = true;
  }

  /** Nothing if it is gone and may be so. */
  async #open(place: Place): Promise<Input | 'replaced' | undefined> {
    try {
      const onRead = (size: number) => (this.progress.bytesRead += size);
      return await openPlace(place, this.#parts.watch, { chunkSizeMax: this.#parts.chunkSizeMax, onRead });
    } catch (error) {
      if (this.#parts.watch.follow && isGone(error)) return undefined;
      throw inputFault(place.path, error);
    }
  }

  /** From where it stands, until it was started again. */
  async *#read(place: Place, input: Input, isOld: () => boolean): AsyncGenerator<Step, void> {
    const { starts, path } = place;
    const framer = this.#parts.framer;
    // An output that outlives the process may have something already.
    const keepsMark = place === this.#parts.roster.order[0] && !this.#parts.watch.isKept;
    const grows = this.#parts.watch.follow && place.isFile && !path.endsWith('.gz');
    this.#input = input;
    try {
      for await (const batches of batchesOf(input, place, framer, keepsMark)) {
        yield { happening: { type: 'batches', batches }, place, starts };
        if (isOld()) break;
      }
      const last = grows || isOld() ? [] : framer.end();
      if (last.length > 0) yield { happening: { type: 'batches', batches: last }, place, starts };
    } catch (error) {
      // It may be written still.
      const isUnfinished =
        this.#parts.watch.follow && (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
      if (!isUnfinished) throw inputFault(path, error);
    } finally {
      this.#input = undefined;
      await input.close();
    }
    if (isOld()) return framer.forget();
    const { offset, line } = framer.leave();
    Object.assign(place, { from: offset, line, isRead: true });
  }
}

function* told(type: 'assigned' | 'retired', partitions: readonly string[]): Generator<Step, void> {
  if (partitions.length > 0) yield { happening: { type, partitions } };
}
