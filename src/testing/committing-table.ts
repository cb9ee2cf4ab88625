import { memoryCheckpoints } from '../checkpoints/memory.ts';
import type { CheckpointStore } from '../core/checkpoint.ts';
import type { Clock } from '../core/clock.ts';
import { payloadOf } from '../core/event.ts';
import { allWritten, Manner, type CommittingSink, type Outgoing, type Sink } from '../core/sink.ts';

/** One delivery as the table keeps it. */
export interface Row {
  readonly payload: Uint8Array;
  readonly partition: string;
  readonly position: number;
  readonly manner: Manner;
}

/** Output and checkpoints in one place, in memory: what a worker stages becomes visible with its checkpoints or never. */
export class CommittingTable {
  readonly rows: Row[] = [];
  readonly deadLetters: Row[] = [];
  readonly #checkpoints: CheckpointStore;
  readonly #epochs = new Map<string, number>();

  constructor(options: { readonly clock?: Pick<Clock, 'now'> } = {}) {
    this.#checkpoints = memoryCheckpoints(options);
  }

  /** For one worker: its sink, and the sink for its dead letters in the same transaction. */
  connect(): { readonly sink: CommittingSink; readonly deadLetters: Sink } {
    const rows: Row[] = [];
    const letters: Row[] = [];
    const drop = (): void => {
      rows.length = letters.length = 0;
    };
    const staging = (staged: Row[]): Sink => ({
      write: async (outgoing) => {
        staged.push(...rowsOf(outgoing));
        return allWritten;
      },
      close: async () => undefined,
    });
    const sink: CommittingSink = {
      ...staging(rows),
      take: async (takes) => {
        const taken = await this.#checkpoints.take(takes);
        for (const { partition, epoch } of taken) this.#epochs.set(partition, epoch);
        return taken;
      },
      commit: async (commits) => {
        const fenced = commits
          .filter(({ partition, epoch }) => this.#epochs.get(partition) !== epoch)
          .map(({ partition }) => partition);
        if (fenced.length > 0) return { fenced };
        this.rows.push(...rows);
        this.deadLetters.push(...letters);
        drop();
        return this.#checkpoints.commit(commits);
      },
      abort: async () => {
        drop();
      },
    };
    return { sink, deadLetters: staging(letters) };
  }
}

function rowsOf({ batch, indices, manners }: Outgoing): Row[] {
  return Array.from(indices, (i, at) => ({
    payload: payloadOf(batch, i).slice(),
    partition: batch.partition,
    position: batch.positions[i],
    manner: (manners?.[at] ?? Manner.ordinary) as Manner,
  }));
}
