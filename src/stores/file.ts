import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { systemClock, windowTime, type Clock } from '../core/clock.ts';
import { HapaxError } from '../core/errors.ts';
import type { PartitionSession, Session } from '../core/session.ts';
import type * as contract from '../core/store.ts';
import { syncFolder } from '../disk/folder.ts';
import { lockFolder, type FolderLock } from '../disk/lock.ts';
import type { CrashPoint } from './file/crash-points.ts';
import { Journal } from './file/journal.ts';
import { Leaving } from './file/leaving.ts';
import { identify } from './file/manifest.ts';
import { kinds, writeCommit, writeHead, writeRun, type NotedCommit, type Run } from './file/records.ts';
import { format, Replay } from './file/replay.ts';
import { keysIn, Segment, segmentNumbers, type LogFolder } from './file/segments.ts';
import { LogWriter } from './file/writer.ts';
import { WindowState } from './kit/window-state.ts';

export { crashPoints, type CrashPoint } from './file/crash-points.ts';
export type { NotedCommit } from './file/records.ts';

export interface FileStoreOptions {
  /** A directory of its own; it is made where it is not there. */
  readonly path: string;
  readonly windowMs: number;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
  /** The most keys that are kept. Default and upper limit: 120 million. */
  readonly marksMax?: number;
  /** bytes of the log; default: no limit but the disk's */
  readonly diskSizeMax?: number;
  /** `wait` refuses claims (HPX-S002) until there is room, `shrink` shortens the window. */
  readonly whenFull?: 'wait' | 'shrink';
  /** Keeps what is sound of a damaged log (else HPX-S005): events whose marks are lost may be repeated. */
  readonly keepSound?: boolean;
  /** Somebody connects to the socket in the directory. */
  readonly onConnection?: (socket: Socket) => void;
  /** For tests: told between the steps that reach the disk. */
  readonly crashPoint?: (point: CrashPoint) => void;
}

/** Where a store was when something else was written that relies on it. */
export interface StoreMoment {
  /** Of the store, for all its life. */
  readonly id: string;
  /** Which of its lives. */
  readonly run: number;
  /** Everything up to here was on the disk. */
  readonly position: number;
}

export interface FileStore extends contract.WindowStore {
  readonly folder: string;
  moment(): StoreMoment;
  /** False: this is an older copy than the one that was there then. */
  has(moment: StoreMoment): boolean;
  /** Keeps with what is told from now on that this commit was made: an output that does not have it is an older copy. */
  noteCommit(commit: NotedCommit): void;
  /** The one that was noted last; number 0 = none. */
  readonly lastCommit: NotedCommit;
}

/** How many segments a window has at least, so that little of the disk is kept for marks that are over. */
const segmentsPerWindow = 16;
const segmentSizeMax = 64 * 1_048_576;
/** A smaller one is not worth another file, however old it is. */
const segmentSizeMin = 1_048_576;
/** Of earlier runs no more is known than where the oldest of these began. */
const runsMax = 1_000;

/**
 * A window that survives the process: everything is done in memory and told to a log, and an answer waits until the log
 * is on the disk. The log is cut into segments; one is dropped when all its marks are over. HPX-S004 if another process
 * has the directory, HPX-S005 if it is damaged.
 */
export async function fileStore(options: FileStoreOptions): Promise<FileStore> {
  const { path, onConnection = (socket: Socket) => socket.destroy() } = options;
  const unusable = (error: unknown): never => {
    throw HapaxError.because('HPX-S008', path, error);
  };
  await mkdir(path, { recursive: true, mode: 0o700 }).catch(unusable);
  const lock = await lockFolder(path, onConnection).catch(unusable);
  try {
    return await openStore(options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openStore(options: FileStoreOptions, lock: FolderLock): Promise<FileStore> {
  const { path, crashPoint: crashAt = () => undefined } = options;
  const folder = { path, id: await identify(path, crashAt), crashAt };
  const found = (await segmentNumbers(path)).map((number) => new Segment(folder, number));
  const segments: Segment[] = [];
  const window = new WindowState(options, 0);
  const replay = new Replay(window);
  replay.expect(await keysIn(found));
  for (const [k, segment] of found.entries()) {
    const isLast = k === found.length - 1;
    found[k + 1]?.readAhead();
    await segment.read(
      (record) => {
        replay.hear(record, segment);
      },
      { isLast, keepSound: options.keepSound === true },
    );
    if (segment.size > 0 || !isLast) segments.push(segment);
    else await dropEmpty(segment, folder);
  }
  const store = new LoggedStore({ options, folder, lock, segments, window, replay });
  await store.begin();
  return store;
}

/** Nothing of it got to the disk: the one before is the last again, and may have a torn end the next time. */
async function dropEmpty(segment: Segment, { path, crashAt }: LogFolder): Promise<void> {
  await segment.drop();
  await syncFolder(path);
  crashAt('open.empty-dropped');
}

interface Opened {
  readonly options: FileStoreOptions;
  readonly folder: LogFolder;
  readonly lock: FolderLock;
  readonly segments: Segment[];
  readonly window: WindowState;
  readonly replay: Replay;
}

class LoggedStore implements FileStore {
  readonly supports = { durable: true, shared: false, leases: true, bodies: true };
  readonly windowMs: number;
  readonly #folder: LogFolder;
  readonly #run: Run;
  readonly #runs: readonly Run[];
  readonly #lock: FolderLock;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #windowNow: () => number;
  readonly #diskSizeMax: number;
  readonly #shrinks: boolean;
  readonly #window: WindowState;
  readonly #log: LogWriter;
  readonly #journal: Journal;
  /** The oldest first; what is put goes to the last. */
  readonly #segments: Segment[];
  readonly #leaving: Leaving;
  #lastCommit: NotedCommit;
  #closed: Promise<void> | undefined;

  constructor({ options, folder, lock, segments, window, replay }: Opened) {
    const { windowMs, clock = systemClock, diskSizeMax = Infinity, whenFull = 'wait' } = options;
    this.windowMs = windowMs;
    this.#folder = folder;
    this.#leaving = new Leaving(folder.crashAt);
    this.#lock = lock;
    this.#clock = clock;
    this.#windowNow = windowTime(clock, window.now);
    this.#diskSizeMax = diskSizeMax;
    this.#shrinks = whenFull === 'shrink';
    this.#window = window;
    this.#segments = segments;

    const last = segments.at(-1);
    this.#run = { id: randomInt(2 ** 47), from: last ? last.from + last.size : 0 };
    this.#runs = [...replay.runs, this.#run].slice(-runsMax);
    this.#lastCommit = replay.commit;
    this.#log = new LogWriter(last ?? new Segment(folder, 1), folder.crashAt);
    this.#journal = new Journal(this.#log);
    replay.finish(this.#journal);
    window.endSessions();
    window.advance(this.#windowNow(), clock.monotonic());
    if (last)
      this.#log.put(kinds.run, (pen) => {
        writeRun(pen, this.#run);
      });
    else this.#beginSegment(1, 0);
  }

  get folder(): string {
    return this.#folder.path;
  }

  /** This life of the store is on the disk before anything refers to it. */
  async begin(): Promise<void> {
    await this.#flush();
  }

  enter(entries: readonly contract.Enter[]): Promise<contract.Entered[]> {
    const sessions = entries.map(({ session }) => session);
    return this.#do(sessions, () => this.#window.enter(entries));
  }

  claim(claim: contract.Claim): Promise<contract.Claimed> {
    return this.#do([claim.session], () => {
      this.#makeRoom();
      return this.#window.claim(claim);
    });
  }

  settle(claims: contract.Claims): Promise<Uint8Array> {
    return this.#do([], () => this.#window.settle(claims));
  }

  release(claims: contract.Claims): Promise<Uint8Array> {
    return this.#do([], () => this.#window.release(claims));
  }

  trim(session: PartitionSession, below: number): Promise<contract.Fenced | undefined> {
    return this.#do([session], () => this.#window.trim(session, below));
  }

  audit(session: PartitionSession, audit: contract.Audit): Promise<contract.Fenced | undefined> {
    return this.#do([session], () => this.#window.audit(session, audit));
  }

  forget(fingerprints: Uint32Array): Promise<('none' | 'forgotten' | 'refused')[]> {
    return this.#do([], () => {
      const answers = this.#window.forget(fingerprints);
      answers.forEach((answer, i) => {
        if (answer === 'forgotten') this.#journal.tellForgotten(fingerprints, i);
      });
      return answers;
    });
  }

  look(fingerprints: Uint32Array): Promise<contract.Sight[]> {
    return this.#do([], () => this.#window.look(fingerprints));
  }

  stats(): contract.StoreStats {
    this.#refuseIfClosed();
    this.#window.advance(this.#windowNow(), this.#clock.monotonic());
    return { ...this.#window.stats(), diskBytes: this.#diskSize() };
  }

  onLoss(): () => void {
    // What is on the disk is not lost while this process has it; an older copy is noticed by `has`.
    return () => undefined;
  }

  moment(): StoreMoment {
    const { from, size } = this.#log.durable;
    return { id: this.#folder.id, run: this.#run.id, position: from + size };
  }

  has({ id, run, position }: StoreMoment): boolean {
    if (id !== this.#folder.id) return false;
    const k = this.#runs.findIndex((it) => it.id === run);
    if (k < 0) return this.#runs.length === runsMax && position <= this.#runs[0].from;
    return position <= (this.#runs[k + 1]?.from ?? this.moment().position);
  }

  noteCommit(commit: NotedCommit): void {
    this.#lastCommit = commit;
    this.#log.put(kinds.commit, (pen) => {
      writeCommit(pen, commit);
    });
  }

  get lastCommit(): NotedCommit {
    return this.#lastCommit;
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  /** Does it in memory and tells the log; the answer waits for the disk, and so does every later one. */
  async #do<T>(sessions: readonly Session[], work: () => T): Promise<T> {
    this.#refuseIfClosed();
    if (this.#log.hasFailed) await this.#flush();
    this.#window.advance(this.#windowNow(), this.#clock.monotonic());
    this.#turn();
    let answer: T;
    try {
      answer = work();
    } finally {
      this.#tell(sessions);
    }
    await this.#flush();
    return answer;
  }

  #tell(sessions: readonly Session[]): void {
    const { number } = this.#current;
    for (const session of sessions)
      if (session.kind === 'partition') this.#journal.tellEpoch(this.#window.partitionOf(session));
    this.#journal.tell(this.#window.takeChanged(), number);
    this.#current.newestAt = this.#window.now;
  }

  async #flush(): Promise<void> {
    const { last } = this.#leaving;
    try {
      await this.#log.flush();
      if (last) await this.#leaving.dropUntil(last);
    } catch (error) {
      const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
      throw HapaxError.because(isFull ? 'HPX-S002' : 'HPX-S001', this.folder, error);
    }
  }

  get #current(): Segment {
    return this.#segments[this.#segments.length - 1];
  }

  /** A new segment when the current one is large or old enough; those whose marks are over go. */
  #turn(): void {
    const { now, horizon } = this.#window;
    const { size } = this.#log;
    const isOld = now - this.#current.openedAt >= this.windowMs / segmentsPerWindow;
    if (
      size >= Math.min(segmentSizeMax, this.#diskSizeMax / segmentsPerWindow) ||
      (isOld && size >= segmentSizeMin)
    ) {
      const { number, from } = this.#current;
      this.#beginSegment(number + 1, from + size);
    }
    while (this.#segments.length > 1 && this.#segments[0].newestAt < horizon) this.#dropOldest();
  }

  #dropOldest(): void {
    const [oldest] = this.#segments.splice(0, 1);
    this.#journal.carryOver(oldest.number, this.#current.number);
    this.#leaving.add(oldest);
  }

  #makeRoom(): void {
    while (this.#shrinks && this.#segments.length > 1 && this.#diskSize() > this.#diskSizeMax) {
      this.#window.shortenTo(this.#segments[0].newestAt);
      this.#dropOldest();
    }
    if (this.#diskSize() > this.#diskSizeMax)
      throw new HapaxError('HPX-S002', `${this.folder} has ${String(this.#diskSizeMax)} bytes`);
  }

  /** A segment has all that its reader needs who has none before it. */
  #beginSegment(number: number, from: number): void {
    const { now, fence } = this.#window;
    const { keys, nextBlock, partitions } = this.#journal;
    const segment = new Segment(this.#folder, number);
    segment.begin(now, from);
    this.#segments.push(segment);
    this.#log.turnTo(segment);
    this.#log.put(kinds.head, (pen) => {
      writeHead(pen, {
        format,
        openedAt: now,
        from,
        keys,
        nextBlock,
        fence,
        runs: this.#runs,
        partitions,
        commit: this.#lastCommit,
      });
    });
  }

  #diskSize(): number {
    const { from } = this.#segments[0];
    return this.#current.from + this.#log.size - from;
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new HapaxError('HPX-S003', this.folder);
  }

  async #end(): Promise<void> {
    await this.#flush().finally(async () => {
      await this.#log.close();
      await this.#lock.release();
    });
  }
}
