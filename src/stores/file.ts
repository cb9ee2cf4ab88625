import { randomInt, randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { systemClock, windowTime, type Clock } from '../core/clock.ts';
import { HapaxError } from '../core/errors.ts';
import type { PartitionSession, Session } from '../core/session.ts';
import type * as contract from '../core/store.ts';
import { writeWhole } from '../disk/folder.ts';
import { lockFolder, type FolderLock } from '../disk/lock.ts';
import { Journal } from './file/journal.ts';
import { kinds, writeHead, writeRun, type Run } from './file/records.ts';
import { format, Replay } from './file/replay.ts';
import { keysIn, Segment, segmentNumbers } from './file/segments.ts';
import { LogWriter } from './file/writer.ts';
import { WindowState } from './kit/window-state.ts';

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
}

/** How many segments a window has at least, so that little of the disk is kept for marks that are over. */
const segmentsPerWindow = 16;
const segmentSizeMax = 64 * 1_048_576;
/** A smaller one is not worth another file, however old it is. */
const segmentSizeMin = 1_048_576;
const runsMax = 1_000;
const manifestName = 'store.json';

/**
 * A window that survives the process: everything is done in memory and told to a log, and an answer waits until the log
 * is on the disk. The log is cut into segments; one is dropped when all its marks are over. HPX-S004 if another process
 * has the directory, HPX-S005 if it is damaged.
 */
export async function fileStore(options: FileStoreOptions): Promise<FileStore> {
  const { path, onConnection = (socket: Socket) => socket.destroy() } = options;
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw HapaxError.because('HPX-S008', path, error);
  });
  const lock = await lockFolder(path, onConnection);
  try {
    return await openStore(options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openStore(options: FileStoreOptions, lock: FolderLock): Promise<FileStore> {
  const { path } = options;
  const id = await identify(path);
  const numbers = await segmentNumbers(path);
  const segments: Segment[] = [];
  const window = new WindowState(options, 0);
  window.reserve(await keysIn(numbers.map((number) => new Segment(path, id, number))));
  const replay = new Replay(window);
  for (const number of numbers) {
    const segment = new Segment(path, id, number);
    const isLast = number === numbers.at(-1);
    await segment.read(
      (record) => {
        replay.hear(record, segment);
      },
      { isLast, keepSound: options.keepSound === true },
    );
    if (segment.size > 0) segments.push(segment);
  }
  const store = new LoggedStore({ options, id, lock, segments, window, replay });
  await store.begin();
  return store;
}

/** The store's own name, given when it is made. */
async function identify(folder: string): Promise<string> {
  const path = join(folder, manifestName);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw HapaxError.because('HPX-S008', path, error);
  });
  if (text !== undefined) return read(path, text);
  if ((await segmentNumbers(folder)).length > 0) throw new HapaxError('HPX-S005', `${path} is missing`);
  const id = randomUUID();
  await writeWhole(path, `${JSON.stringify({ format, id })}\n`);
  return id;
}

function read(path: string, text: string): string {
  const manifest = parsed(text) as { format?: unknown; id?: unknown } | undefined;
  if (typeof manifest?.id !== 'string') throw new HapaxError('HPX-S005', path);
  if (manifest.format !== format)
    throw new HapaxError('HPX-S007', `${path} has format ${String(manifest.format)}`);
  return manifest.id;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Opened {
  readonly options: FileStoreOptions;
  readonly id: string;
  readonly lock: FolderLock;
  readonly segments: Segment[];
  readonly window: WindowState;
  readonly replay: Replay;
}

class LoggedStore implements FileStore {
  readonly supports = { durable: true, shared: false, leases: true, bodies: true };
  readonly windowMs: number;
  readonly folder: string;
  readonly #id: string;
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
  /** Their marks are over and what was left is written again, but maybe not on the disk yet. */
  readonly #leaving: Segment[] = [];
  #closed: Promise<void> | undefined;

  constructor({ options, id, lock, segments, window, replay }: Opened) {
    const { path, windowMs, clock = systemClock, diskSizeMax = Infinity, whenFull = 'wait' } = options;
    this.windowMs = windowMs;
    this.folder = path;
    this.#id = id;
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
    this.#log = new LogWriter(last ?? new Segment(path, id, 1));
    this.#journal = new Journal(this.#log);
    replay.finish(this.#journal);
    window.endSessions();
    if (last)
      this.#log.put(kinds.run, (pen) => {
        writeRun(pen, this.#run);
      });
    else this.#beginSegment(1, 0);
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
    return { id: this.#id, run: this.#run.id, position: from + size };
  }

  has({ id, run, position }: StoreMoment): boolean {
    const k = this.#runs.findIndex((it) => it.id === run);
    const end = this.#runs[k + 1]?.from ?? this.moment().position;
    return id === this.#id && k >= 0 && position <= end;
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
    try {
      await this.#log.flush();
    } catch (error) {
      const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
      throw HapaxError.because(isFull ? 'HPX-S002' : 'HPX-S001', this.folder, error);
    }
    for (const segment of this.#leaving.splice(0)) await segment.drop();
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
    this.#leaving.push(oldest);
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
    const segment = new Segment(this.folder, this.#id, number);
    segment.begin(now, from);
    this.#segments.push(segment);
    this.#log.turnTo(segment);
    this.#log.put(kinds.head, (pen) => {
      writeHead(pen, { format, openedAt: now, from, keys, nextBlock, fence, runs: this.#runs, partitions });
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
