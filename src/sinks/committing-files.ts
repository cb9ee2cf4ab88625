import { dirname, join, relative } from 'node:path';
import type { CheckpointList } from '../core/checkpoint.ts';
import { systemClock, windowTime, type Clock } from '../core/clock.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { CommittingSink, Sink } from '../core/sink.ts';
import { CommitLog, readCommitLog } from './committing-files/commit-log.ts';
import type { CrashPoint } from './committing-files/crash-points.ts';
import { Ledger, type Change, type CommitNumber, type StoreState } from './committing-files/ledger.ts';
import { placeOf, refuseSame, sizeOf, type Place } from './committing-files/places.ts';
import { seriesOf, type Series } from './committing-files/series.ts';
import { confirming, soundRecord, type Confirm, type Found } from './committing-files/sound-record.ts';
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

export interface OutputPaths {
  readonly path: string;
  readonly duplicates?: SideOutput;
  readonly deadLetters?: SideOutput;
}

interface CommitOptions {
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

export type CommittingFilesOptions = OutputPaths & CommitOptions;

export interface RunFilesOptions extends CommitOptions {
  /** The file of the commits. */
  readonly log: string;
  /** Nothing = the sink takes no deliveries, only checkpoints. */
  readonly outputs?: OutputPaths | undefined;
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
  const outputs = await placesOf(options);
  return openFiles({ outputs, log: await placeOf(`${outputs[0].place.path}.commits`) }, options);
}

/**
 * The same for runs that have one log and each outputs of its own. They are appended to, whoever wrote what is there. What a
 * run has ended with is known no more; what one that was killed left is cut to its commits by the next, whatever it writes.
 */
export async function openRunFiles(options: RunFilesOptions): Promise<CommittingFiles> {
  const outputs = options.outputs ? await placesOf(options.outputs) : [];
  return openFiles({ outputs, log: await placeOf(options.log), ofRuns: true }, options);
}

async function openFiles(
  { outputs: wanted, log: logPlace, ofRuns = false }: Wanted,
  { clock = systemClock, stateOf, onCommit = () => undefined, confirmed = [], crashPoint }: CommitOptions,
): Promise<CommittingFiles> {
  const crashAt = crashPoint ?? (() => undefined);
  refuseSame([logPlace, ...wanted.map(({ place }) => place)]);
  const { path } = logPlace;

  const { ledger, damage } = (await readCommitLog(path)) ?? { ledger: new Ledger() };
  const told = confirming(confirmed, ledger, clock);
  const confirm: Confirm = (code, detail) => {
    if (!ofRuns || code !== 'HPX-O004') told(code, detail);
  };
  if (damage !== undefined) confirm('HPX-O006', `${path}: ${damage}`);
  const folder = dirname(path);
  const series = wanted.map(({ place, keepMs }) => seriesOf(relative(folder, place.path), keepMs));
  const found = { folder, ledger, confirm, repaired: damage !== undefined };
  if (ofRuns) series.push(...(await leftBy(series, found)));
  const records = await Promise.all(series.map((one) => soundRecord(one, found)));
  ledger.apply({ outputs: records });

  const log = new CommitLog(path, ledger, crashAt);
  const announce = (change: Change): Promise<void> => log.append(change, 'series');
  const around = { folder, now: windowTime(clock), announce, confirm, crashAt };
  const outputs = series.map((one, i) => new StagedOutput(one, records[i], around));
  const own = outputs.slice(0, wanted.length);
  const sink = new Transaction(log, { own: own.at(0), all: outputs }, { clock, stateOf, onCommit, crashAt });
  return {
    ...Object.fromEntries(wanted.map(({ face }, i) => [face, sink.faceOf(own[i])])),
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

/** What the last run did not come to an end with, beside these outputs and as far as it is there. All else is forgotten. */
async function leftBy(wanted: readonly Series[], found: Found): Promise<Series[]> {
  const { folder, ledger } = found;
  if (ledger.isClosed) ledger.outputs.clear();
  const left: Series[] = [];
  for (const name of ledger.outputs.keys()) {
    if (wanted.some((one) => one.name === name)) continue;
    const one = seriesOf(name, undefined);
    await soundRecord(one, found);
    if ((await sizeOf(join(folder, name))) === undefined) ledger.outputs.delete(name);
    else left.push(one);
  }
  return left;
}

interface Wanted {
  readonly outputs: readonly PlacedOutput[];
  readonly log: Place;
  readonly ofRuns?: boolean;
}

interface PlacedOutput {
  readonly face: 'sink' | 'duplicates' | 'deadLetters';
  readonly place: Place;
  readonly keepMs?: number;
}

function placesOf({ path, duplicates, deadLetters }: OutputPaths): Promise<PlacedOutput[]> {
  const placed = async (face: PlacedOutput['face'], { path: at, ...kept }: SideOutput) => ({
    face,
    place: await placeOf(at),
    ...kept,
  });
  return Promise.all([
    placed('sink', { path }),
    ...(duplicates ? [placed('duplicates', duplicates)] : []),
    ...(deadLetters ? [placed('deadLetters', deadLetters)] : []),
  ]);
}
