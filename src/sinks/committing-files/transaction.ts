import type { Commit, Committed, Take, Taken } from '../../core/checkpoint.ts';
import type { Clock } from '../../core/clock.ts';
import { HapaxError } from '../../core/errors.ts';
import type { CommittingSink, Outgoing, Sink, Written } from '../../core/sink.ts';
import type { CommitLog } from './commit-log.ts';
import type { CrashAt } from './crash-points.ts';
import { recordOf, type CommitNumber, type StoreState } from './ledger.ts';
import type { StagedOutput } from './staged-output.ts';
import { Turns } from './turns.ts';

const usPerMs = 1_000;

export interface TransactionSurroundings {
  readonly clock: Pick<Clock, 'now'>;
  readonly stateOf: (() => StoreState) | undefined;
  readonly onCommit: (commit: CommitNumber) => void;
  readonly crashAt: CrashAt;
}

/** All outputs and the log: a commit is one record of the log, made when what it names is on the disk. */
export class Transaction implements CommittingSink {
  readonly #log: CommitLog;
  readonly #own: StagedOutput | undefined;
  readonly #outputs: readonly StagedOutput[];
  readonly #around: TransactionSurroundings;
  readonly #turns = new Turns();
  #isStarted = false;
  #isClosed = false;

  /** `own` is the one of the sink itself. */
  constructor(
    log: CommitLog,
    { own, all }: { own: StagedOutput | undefined; all: readonly StagedOutput[] },
    around: TransactionSurroundings,
  ) {
    this.#log = log;
    this.#own = own;
    this.#outputs = all;
    this.#around = around;
  }

  async write(outgoing: Outgoing, _signal: AbortSignal): Promise<Written> {
    if (!this.#own) throw new HapaxError('HPX-O001', `${this.#log.path}: it takes only checkpoints`);
    return this.#stage(this.#own, outgoing);
  }

  /** Another output of this transaction; closing it is for the transaction. */
  faceOf(output: StagedOutput): Sink {
    return { write: (outgoing) => this.#stage(output, outgoing), close: () => Promise.resolve() };
  }

  take(takes: readonly Take[]): Promise<Taken[]> {
    return this.#turn(async () => {
      const { ledger } = this.#log;
      const clockUs = Math.floor(this.#around.clock.now() * usPerMs);
      const taken = takes.map(({ partition, above }) => {
        const last = ledger.partitions.get(partition)?.epoch ?? 0;
        return ledger.taken(partition, Math.max(last, above, clockUs) + 1);
      });
      const partitions = taken.map(({ partition, epoch }) => ({ partition, epoch }));
      if (taken.length > 0) await this.#log.append({ partitions }, 'take');
      return taken;
    });
  }

  commit(commits: readonly Commit[]): Promise<Committed> {
    return this.#turn(async () => {
      const { ledger } = this.#log;
      const { stateOf, onCommit, crashAt } = this.#around;
      const fenced = commits.filter((commit) => ledger.isFenced(commit)).map(({ partition }) => partition);
      if (fenced.length > 0) return { fenced };
      if (this.#outputs.some(({ isSpoilt }) => isSpoilt)) return { fenced, aborted: true };
      crashAt('commit.before-sync');
      const outputs = await allOf(this.#outputs.map((output) => output.sync()));
      crashAt('commit.outputs-synced');
      const staged = outputs.filter((output) => output !== undefined);
      if (commits.length === 0 && staged.length === 0) return { fenced };
      const state = stateOf?.();
      const commit = ledger.lastCommit.number + 1;
      const change = { partitions: commits.map(recordOf), outputs: staged, ...(state && { state }), commit };
      await this.#log.append(change, 'commit');
      onCommit(ledger.lastCommit);
      outputs.forEach((output, i) => {
        if (output) this.#outputs[i].keep(output.length);
      });
      await allOf(this.#outputs.map((output) => output.tidy()));
      return { fenced };
    });
  }

  /** First the log, so that no record ever names what is not there. */
  abort(): Promise<void> {
    return this.#turn(() => this.#cut());
  }

  close(): Promise<void> {
    return this.#turns.next(async () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      // What cannot be cut now is cut at the next start.
      if (this.#isStarted) await this.#finish().catch(() => undefined);
      await allOf(this.#outputs.map((output) => output.close()));
      await this.#log.close();
    });
  }

  async #finish(): Promise<void> {
    await this.#cut();
    await this.#log.append({ closed: true }, 'close');
  }

  async #cut(): Promise<void> {
    await this.#log.clean();
    this.#around.crashAt('abort.log-cut');
    await allOf(this.#outputs.map((output) => output.cut()));
    this.#around.crashAt('abort.outputs-cut');
  }

  async #stage(output: StagedOutput, outgoing: Outgoing): Promise<Written> {
    if (!this.#isStarted || this.#isClosed) return this.#turn(() => output.write(outgoing));
    return output.write(outgoing);
  }

  #turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.next(async () => {
      if (this.#isClosed) throw new HapaxError('HPX-O001', `${this.#log.path}: it is closed`);
      if (!this.#isStarted) await this.#start();
      return work();
    });
  }

  async #start(): Promise<void> {
    await this.#log.start();
    for (const output of this.#outputs) await output.start();
    this.#around.crashAt('start.outputs-ready');
    this.#isStarted = true;
  }
}

/** What all of them answer; one that fails does not leave others under way. */
async function allOf<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
