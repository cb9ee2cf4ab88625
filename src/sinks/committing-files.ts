import { dirname, relative } from 'node:path';
import type { CheckpointList } from '../core/checkpoint.ts';
import { systemClock, windowTime, type Clock } from '../core/clock.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { CommittingSink, Sink } from '../core/sink.ts';
import { CommitLog, readCommitLog } from './committing-files/commit-log.ts';
import type { CrashPoint } from './committing-files/crash-points.ts';
import { Ledger, type Change, type CommitNumber, type StoreState } from './committing-files/ledger.ts';
import { placeOf, refuseSame } from './committing-files/places.ts';
import { seriesOf } from './committing-files/series.ts';
import { confirming, soundRecord } from './committing-files/sound-record.ts';
import { StagedOutput } from './committing-files/staged-output.ts';
import { Transaction } from './committing-files/transaction.ts';

export type { CommitNumber, StoreState } from './committing-files/ledger.ts';
export { crashPoints, type CrashPoint } from './committing-files/crash-points.ts';

export interface SideOutput {
  readonly path: string;
  /**
   * The output is a series of files (`dead.ndjson`: `dead-20261130T14Z.ndjson`), each for an eighth of this time, at least
   * 1 h and at most 1 d. A file is removed this long after its time is over.
   */
  readonly keepMs?: number;
}

export interface CommittingFilesOptions {
  readonly path: string;
  readonly duplicates?: SideOutput;
  readonly deadLetters?: SideOutput;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
  /** What the window's store says of itself at this moment; kept with each commit. */
  readonly stateOf?: () => StoreState;
  /** Told when a commit is on the disk, before anybody is answered. */
  readonly onCommit?: (commit: CommitNumber) => void;
  /** HPX-O004, HPX-O005 or HPX-O006 where an operator knows better; recorded in the log. */
  readonly confirmed?: readonly ErrorCode[];
  /** For tests: told between the steps that reach the disk. */
  readonly crashPoint?: (point: CrashPoint) => void;
}

/** Faces of one transaction: what they stage is committed together, and the sink closes all. */
export interface CommittingFiles {
  readonly sink: CommittingSink;
  readonly duplicates?: Sink;
  readonly deadLetters?: Sink;
  readonly list: CheckpointList['list'];
  /** As the last commit has it. */
  readonly lastState: StoreState | undefined;
  /** Number 0 = none was made. */
  readonly lastCommit: CommitNumber;
  /** An operator confirmed that the log has lost commits: the outputs have them still. */
  readonly isRepaired: boolean;
}

/**
 * Lines into files that are committed with the checkpoints: `PATH.commits` says up to where each file counts, and how far
 * each partition is. After a crash the files are cut to what it says.
 *
 * Opening changes nothing, the first call does: until then `lastState` and `lastCommit` can be compared with the store.
 * That has to be done, since a commit log which is older than the store (restored from a copy, or cut at the end of a
 * record) looks like a crash before the last commits, and the files would be cut although their marks are settled.
 *
 * One process at a time; that is for the lock of the state directory to see to. HPX-O001 if something cannot be read or
 * written, HPX-O004 for a file that no log knows, HPX-O005 for one that is shorter than its log says (or longer, though it
 * was closed), HPX-O006 for a damaged log, HPX-O007 for what is no regular file of its own.
 */
export async function openCommittingFiles(options: CommittingFilesOptions): Promise<CommittingFiles> {
  const { clock = systemClock, stateOf, onCommit = () => undefined, confirmed = [] } = options;
  const { crashPoint: crashAt = () => undefined } = options;
  const wanted = wantedOf(options);
  const places = await Promise.all(wanted.map(({ path }) => placeOf(path)));
  const logPlace = await placeOf(`${places[0].path}.commits`);
  refuseSame([logPlace, ...places]);
  const { path } = logPlace;

  const { ledger, damage } = (await readCommitLog(path)) ?? { ledger: new Ledger() };
  const confirm = confirming(confirmed, ledger, clock);
  if (damage !== undefined) confirm('HPX-O006', `${path}: ${damage}`);
  const folder = dirname(path);
  const series = places.map((place, i) => seriesOf(relative(folder, place.path), wanted[i].keepMs));
  const found = { folder, ledger, confirm, repaired: damage !== undefined };
  const records = await Promise.all(series.map((one) => soundRecord(one, found)));
  ledger.apply({ outputs: records });

  const log = new CommitLog(path, ledger, crashAt);
  const announce = (change: Change): Promise<void> => log.append(change, 'series');
  const around = { folder, now: windowTime(clock), announce, confirm, crashAt };
  const outputs = series.map((one, i) => new StagedOutput(one, records[i], around));
  const sink = new Transaction(log, outputs, { clock, stateOf, onCommit, crashAt });
  return {
    ...Object.fromEntries(wanted.map(({ face }, i) => [face, sink.faceOf(outputs[i])])),
    sink,
    list: async () => ledger.list(),
    get lastState() {
      return ledger.state;
    },
    get lastCommit() {
      return ledger.lastCommit;
    },
    isRepaired: damage !== undefined,
  };
}

interface Wanted extends SideOutput {
  readonly face: 'sink' | 'duplicates' | 'deadLetters';
}

function wantedOf({ path, duplicates, deadLetters }: CommittingFilesOptions): Wanted[] {
  return [
    { face: 'sink', path },
    ...(duplicates ? [{ face: 'duplicates' as const, ...duplicates }] : []),
    ...(deadLetters ? [{ face: 'deadLetters' as const, ...deadLetters }] : []),
  ];
}
