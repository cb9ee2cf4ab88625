import type { Commit } from '../checkpoint.ts';
import type { CommittingSink } from '../sink.ts';
import { Verdict } from '../verdict.ts';
import { ask } from './ask.ts';
import { book, isSettled, leaveHand, sameBody, takeInHand } from './conclude.ts';
import { deliver, mark } from './deliver.ts';
import { Fate, isStep } from './fate.ts';
import { askAgainMs, type Current } from './current.ts';
import type { Partition } from './partition.ts';
import { Follows, type Part } from './part.ts';
import type { Ahead } from './progress.ts';
import type { River } from './river.ts';

/**
 * The way of some parts, one for each partition, with a sink that stores output and checkpoints together:
 * claim, cut, stage, release, commit, settle (`later` where the store need not be waited for). One transaction at a
 * time. It holds no output beyond its checkpoints: a part is cut at the first delivery that waits, and nothing behind
 * that one stays claimed. Answers whether it got on.
 */
async function transact(
  river: River,
  sink: CommittingSink,
  parts: readonly Part[],
  later: (work: () => Promise<void>) => void,
  shared = true,
): Promise<boolean> {
  await Promise.all(parts.map((part) => ask(river, part)));
  const going = (await cutAll(river, alive(river, parts), shared)).filter((part) => part.count > 0);
  if (going.length === 0) return false;
  await Promise.all(going.map((part) => deliver(river, part)));
  await Promise.all(going.map((part) => mark(river, part, 'release')));
  const isRejected = going.some(({ rejections }) => rejections.size > 0);
  const orphans = shared && isRejected && going.some((part) => hasOrphans(river, part));
  const whole = !orphans && going.every((part) => !part.partition.over);
  const committed = whole && (await commit(river, sink, going));
  if (!committed) {
    await river.patiently('sink', () => sink.abort());
    return transact(river, sink, startAnew(alive(river, going)), later, shared && !orphans);
  }
  const settle = async (): Promise<void> => {
    await Promise.all(going.map((part) => mark(river, part, 'settle')));
    for (const part of going) conclude(river, part);
  };
  if (river.policies.store === 'pass') later(settle);
  else await settle();
  return true;
}

/** Parts whose session is over are given up: whoever takes the partition next does their work. */
function alive(river: River, parts: readonly Part[]): Part[] {
  for (const part of parts) {
    if (part.partition.over) river.follow(leaveHand(river, part));
  }
  return parts.filter((part) => !part.partition.over);
}

/** After an abort everything is asked again: live claims answer as before, what was released is claimed again. */
function startAnew(parts: readonly Part[]): readonly Part[] {
  for (const part of parts) {
    part.fates.fill(Fate.waits);
    part.verdicts.fill(Verdict.none);
    part.standsIn.fill(0);
    part.follows.forEach((follows, i) => {
      if (follows === Follows.along) part.follows[i] = Follows.waits;
    });
    part.rejections.clear();
  }
  return parts;
}

/** Cuts each part at the first delivery that has to wait; what is behind goes to the front of what is aside. */
async function cutAll(river: River, parts: readonly Part[], shared: boolean): Promise<Part[]> {
  const ends = new Map<Part, number>();
  for (const part of parts) ends.set(part, river.rooms.endOf(river, part, ends, shared));
  return Promise.all(parts.map((part) => cut(river, part, ends.get(part) ?? 0)));
}

/** Where the part has to be cut; a copy of what is in this very transaction becomes a duplicate with its commit. */
export function endOf(river: River, part: Part, ends: ReadonlyMap<Part, number>, shared: boolean): number {
  for (let i = 0; i < part.count; i++) {
    if (part.fates[i] !== Fate.waits) continue;
    const leader = part.follows[i] === Follows.waits ? river.hand.leaderOf(part, i) : undefined;
    const reach = leader?.part === part ? i : leader && (ends.get(leader.part) ?? 0);
    if (!shared || !leader || reach === undefined || leader.index >= reach) return i;
    if (!isSettled(leader.part, leader.index) || !sameBody(leader.part, leader.index, part, i)) return i;
    part.verdicts[i] = Verdict.duplicate;
    part.accepted[i] = leader.part.accepted[leader.index];
    part.fates[i] = Fate.of('duplicate', 'drop', 'keep');
  }
  return part.count;
}

async function cut(river: River, part: Part, end: number): Promise<Part> {
  if (end === part.count) return part;
  const claimed = part.where((i) => i > end && part.hasClaim(i));
  if (claimed.length > 0) await river.patiently('store', () => river.store.release(part.claims(claimed)));
  part.partition.under.delete(part);
  const kept = split(river, part, 0, end);
  if (end > 0) part.partition.under.add(kept);
  const waiting = split(river, part, end, end + 1);
  waiting.heldSince = part.heldSince ?? river.clock.monotonic();
  // In halves: where one after another waits, each cut copies half as much as the one before.
  const half = (end + 1 + part.count) >> 1;
  const rest = [split(river, part, end + 1, half), split(river, part, half, part.count)];
  const behind = startAnew([waiting, ...rest]).filter(({ count }) => count > 0);
  // The session may have ended while the store was asked: what was aside has left the hand already, so does this.
  if (part.partition.over) river.follow(behind.flatMap((piece) => leaveHand(river, piece)));
  else part.partition.aside.unshift(...behind);
  return kept;
}

function split(river: River, part: Part, from: number, to: number): Part {
  const piece = river.hand.split(
    part,
    Uint32Array.from({ length: to - from }, (_, k) => from + k),
  );
  piece.fates.set(part.fates.subarray(from, to));
  piece.standsIn.set(part.standsIn.subarray(from, to));
  return piece;
}

/** A copy was to become a duplicate with this commit, of what was rejected. */
function hasOrphans(river: River, part: Part): boolean {
  for (let i = 0; i < part.count; i++) {
    if (part.follows[i] !== Follows.waits || !isStep(part.fates[i], 'drop')) continue;
    const leader = river.hand.leaderOf(part, i);
    if (leader?.part.rejections.has(leader.index)) return true;
  }
  return false;
}

/** All checkpoints with all that is staged, or nothing; a partition that is fenced has lost its session. */
async function commit(river: River, sink: CommittingSink, parts: readonly Part[]): Promise<boolean> {
  const commits: Commit[] = [];
  const moves: [Part, Ahead][] = [];
  for (const part of parts) {
    book(part);
    const ahead = part.partition.progress.peek();
    if (!ahead) continue;
    moves.push([part, ahead]);
    const { name, session } = part.partition;
    commits.push({
      partition: name,
      epoch: session.epoch,
      checkpoint: ahead.checkpoint,
      totals: ahead.totals,
    });
  }
  const { fenced, aborted } = await river.patiently('checkpoints', () => sink.commit(commits));
  if (fenced.length === 0 && !aborted) {
    for (const [part, ahead] of moves) part.partition.progress.advance(ahead);
    return true;
  }
  for (const part of parts) {
    part.numbers.forEach((n) => {
      part.partition.progress.reopen(n);
    });
    if (fenced.includes(part.partition.name)) river.end(part.partition, 'fenced');
  }
  return false;
}

/** Committed and settled: the books tell, the tail goes, and copies that waited are asked for. */
function conclude(river: River, part: Part): void {
  const next = leaveHand(river, part);
  const { partition } = part;
  if (!partition.over) {
    river.notify({ type: 'booked', part });
    river.regulate(partition);
    river.trim(partition);
  }
  river.follow(next);
}

/** One transaction after another, each with the front part of every partition; what waits is asked again by and by. */
export function transacting(
  river: River,
  sink: CommittingSink,
  live: ReadonlyMap<string, Partition>,
): Current {
  const { change } = river;
  let running = false;
  let settling = 0;
  let nap: AbortController | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  const run = async (): Promise<void> => {
    let ms: number = askAgainMs.first;
    for (let parts = fronts(live); parts.length > 0 && !river.signal.aborted; parts = fronts(live)) {
      const going = parts;
      if (await alone(() => transact(river, sink, going, later))) ms = askAgainMs.first;
      else {
        nap = new AbortController();
        change.tell();
        await river.clock.sleep(ms, AbortSignal.any([river.signal, nap.signal]));
        nap = undefined;
        ms = Math.min(2 * ms, askAgainMs.most);
      }
      change.tell();
    }
  };
  const later = (work: () => Promise<void>): void => {
    settling++;
    void river.attempt(work).then(() => {
      settling--;
      change.tell();
    });
  };
  const start = (): void => {
    nap?.abort();
    if (running) return;
    running = true;
    void river.attempt(run).then(() => {
      running = false;
      change.tell();
      // What came while the last transaction was put away found it running still.
      if (!river.signal.aborted && [...live.values()].some(({ aside }) => aside.length > 0)) start();
    });
  };

  return {
    carry: (parts) => {
      for (const part of parts) {
        takeInHand(river, part);
        part.partition.aside.push(part);
      }
      start();
    },
    follow: start,
    alone,
    room: () => Promise.resolve(),
    settled: ({ evenHeld, signal }) =>
      change.until(
        () =>
          signal.aborted ||
          river.signal.aborted ||
          (!running && settling === 0) ||
          (!evenHeld && nap !== undefined),
      ),
  };
}

/** The front part of each partition, in the order of reading. */
function fronts(live: ReadonlyMap<string, Partition>): Part[] {
  return [...live.values()]
    .flatMap((partition) => partition.aside.splice(0, 1))
    .sort((a, b) => a.readAt - b.readAt);
}
