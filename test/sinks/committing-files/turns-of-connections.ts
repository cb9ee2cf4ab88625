import type { CommittingSink, Outgoing, Sink } from '../../../src/core/sink.ts';
import type { Connection } from '../../../src/testing/committing-suite/check.ts';
import type { CommittingFiles } from '../../../src/sinks/committing-files.ts';

interface Staged {
  readonly face: 'sink' | 'deadLetters';
  readonly outgoing: Outgoing;
}

const { signal } = new AbortController();

/**
 * Files have one worker. Here several share them by turns: whose turn ends is aborted, and stages anew what it had when it
 * is its turn again. The files are opened for the first and closed by the last.
 */
export class TurnsOfConnections {
  readonly #open: () => Promise<CommittingFiles>;
  #files: CommittingFiles | undefined;
  readonly #connected = new Set<object>();
  #whoseTurn: object | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: () => Promise<CommittingFiles>) {
    this.#open = open;
  }

  connect(): Connection {
    const staged: Staged[] = [];
    const self = {};
    this.#connected.add(self);
    const inTurn = <T>(work: (files: CommittingFiles) => Promise<T>): Promise<T> =>
      this.#next(async () => {
        const files = (this.#files ??= await this.#open());
        if (this.#whoseTurn !== self) {
          await files.sink.abort();
          this.#whoseTurn = self;
          for (const { face, outgoing } of staged) await files[face]!.write(outgoing, signal);
        }
        return work(files);
      });
    const face = (name: Staged['face']): Sink => ({
      write: (outgoing) =>
        inTurn(async (files) => {
          const written = await files[name]!.write(outgoing, signal);
          staged.push({ face: name, outgoing });
          return written;
        }),
      close: () => Promise.resolve(),
    });
    const sink: CommittingSink = {
      ...face('sink'),
      take: (takes) => inTurn((files) => files.sink.take(takes)),
      commit: (commits) =>
        inTurn(async (files) => {
          const committed = await files.sink.commit(commits);
          if (committed.fenced.length === 0 && !committed.aborted) staged.length = 0;
          return committed;
        }),
      abort: () =>
        inTurn(async (files) => {
          await files.sink.abort();
          staged.length = 0;
        }),
      close: () =>
        this.#next(async () => {
          this.#connected.delete(self);
          if (this.#connected.size === 0) await this.#closeFiles();
        }),
    };
    return { sink, deadLetters: face('deadLetters') };
  }

  close(): Promise<void> {
    return this.#next(() => this.#closeFiles());
  }

  async #closeFiles(): Promise<void> {
    const files = this.#files;
    this.#files = this.#whoseTurn = undefined;
    await files?.sink.close();
    await files?.sink.close();
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
