import type { Commit, Committed, Take, Taken } from '../../core/checkpoint.ts';
import { payloadOf } from '../../core/event.ts';
import { allWritten, type CommittingSink, type Outgoing, type Sink, type Written } from '../../core/sink.ts';
import { Table } from '../broken-checkpoints/table.ts';
import type { CommittingBench } from '../committing-suite/check.ts';

/** What all connections share: the output and the checkpoints. */
export class Ledger extends Table {
  readonly output: Uint8Array[] = [];
  /** Where a connection may stage that has no transaction of its own. */
  readonly pool: Uint8Array[] = [];
  readonly letters: Uint8Array[] = [];
}

/** A connection in rooms, so that one promise at a time can be broken. */
export class Desk implements CommittingSink {
  readonly ledger: Ledger;
  staged: Uint8Array[] = [];
  letters: Uint8Array[] = [];
  readonly deadLetters: Sink = {
    write: async (outgoing) => {
      this.bury(payloadsOf(outgoing));
      return allWritten;
    },
    close: () => Promise.resolve(),
  };

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  take(takes: readonly Take[]): Promise<Taken[]> {
    return this.ledger.take(takes);
  }

  async write(outgoing: Outgoing, _signal: AbortSignal): Promise<Written> {
    this.stage(payloadsOf(outgoing));
    return allWritten;
  }

  async commit(commits: readonly Commit[]): Promise<Committed> {
    const fenced = commits.filter((commit) => this.ledger.isFenced(commit));
    if (fenced.length > 0) return { fenced: fenced.map(({ partition }) => partition) };
    this.publish();
    this.drop();
    return this.move(commits);
  }

  async abort(): Promise<void> {
    this.drop();
  }

  async close(): Promise<void> {
    this.drop();
  }

  stage(payloads: readonly Uint8Array[]): void {
    this.staged.push(...payloads);
  }

  bury(payloads: readonly Uint8Array[]): void {
    this.letters.push(...payloads);
  }

  publish(): void {
    this.ledger.output.push(...this.staged);
    this.ledger.letters.push(...this.letters);
  }

  drop(): void {
    this.staged = [];
    this.letters = [];
  }

  move(commits: readonly Commit[]): Promise<Committed> {
    return this.ledger.commit(commits);
  }
}

function payloadsOf({ batch, indices }: Outgoing): Uint8Array[] {
  return Array.from(indices, (i) => payloadOf(batch, i).slice());
}

/** A committing sink with one promise broken, in a way that somebody would build it. The suite must notice. */
export interface BrokenCommittingSink {
  readonly name: string;
  readonly bench: CommittingBench;
  /** The checks that fail, as `theme: name`; all others pass. */
  readonly fails: readonly string[];
}

type Kind = new (ledger: Ledger) => Desk;

export function broken(name: string, fails: readonly string[], kind: Kind): BrokenCommittingSink {
  return { name, fails, bench: benchOf(kind) };
}

export function benchOf(kind: Kind): CommittingBench {
  return {
    supports: { deadLetters: true },
    open: (clock) => {
      const ledger = new Ledger(clock);
      return {
        connect: () => {
          const sink = new kind(ledger);
          return { sink, deadLetters: sink.deadLetters };
        },
        read: () => ledger.output,
        readDeadLetters: () => ledger.letters,
        close: () => Promise.resolve(),
      };
    },
  };
}
