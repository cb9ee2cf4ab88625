import { Verdict } from '../verdict.ts';
import { ask } from './ask.ts';
import { book, isSettled, leave, leaveHand, sameBody, takeInHand, wasTaken } from './conclude.ts';
import { commitCheckpoints } from './checkpointing.ts';
import { askAgainMs, type Current } from './current.ts';
import { deliver, mark } from './deliver.ts';
import { Fate, withStep } from './fate.ts';
import type { Delivery } from './hand.ts';
import type { Partition } from './partition.ts';
import { Follows, type Part } from './part.ts';
import type { River } from './river.ts';

const waiting = withStep('wait');

/**
 * The way of a part with a sink that does not commit checkpoints:
 * claim, sink, settle, books. Parts overlap; writes of a partition keep the order of reading.
 * What waits is put aside, and work goes on behind it. `delivered` makes room for more where the store need not be
 * waited for.
 */
async function passOn(
  river: River,
  part: Part,
  launch: (part: Part) => void,
  delivered: () => void,
): Promise<void> {
  const { partition } = part;
  const turn = partition.turn();
  try {
    if (!partition.over) await ask(river, part);
    if (!partition.over) putAside(river, part);
    await turn.come;
    if (!partition.over) await deliver(river, part);
  } finally {
    turn.next();
  }
  if (river.policies.store === 'pass') delivered();
  if (!partition.over) await Promise.all([mark(river, part, 'settle'), mark(river, part, 'release')]);
  if (partition.over) return sendOn(river, leaveHand(river, part), launch);
  book(part);
  river.notify({ type: 'booked', part });
  sendOn(river, handOn(river, part), launch);
  leaveBehind(river, part);
  river.regulate(partition);
}

/** What waits for somebody else's claim goes into a part of its own and is asked again; copies of it stay where they are. */
function putAside(river: River, part: Part): void {
  const held = part.fated(waiting).filter((i) => part.follows[i] === Follows.nobody);
  if (held.length === 0) return;
  const aside = river.hand.split(part, held);
  aside.waited = true;
  aside.heldSince ??= river.clock.monotonic();
  part.partition.aside.push(aside);
}

/** What is done leaves the hand; answers its copies that can go on: as duplicates of it, or the next of them leads. */
function handOn(river: River, part: Part): Delivery[] {
  part.partition.under.delete(part);
  const freed: Delivery[] = [];
  for (const i of part.inLine()) {
    if (part.fates[i] === Fate.waits) continue;
    const settled = isSettled(part, i);
    if (settled) addDuplicates(river, part, i, freed);
    const next = leave(river, part, i);
    if (!next) continue;
    freed.push(next);
    if (settled || wasTaken(part, i)) addNeighbours(river, next, freed);
  }
  river.hand.leaveAlone(part);
  return freed;
}

/** Who waited for what this session has just settled, and is like it. */
function addDuplicates(river: River, part: Part, i: number, freed: Delivery[]): void {
  for (const follower of river.hand.followersOf(part, i)) {
    const { part: other, index } = follower;
    if (other.follows[index] !== Follows.waits || !sameBody(part, i, other, index)) continue;
    river.hand.leave(other, index);
    other.verdicts[index] = Verdict.duplicate;
    other.accepted[index] = part.accepted[i];
    other.now = part.now;
    freed.push(follower);
  }
}

/** Its copies in the same part, which go on with it where all of them may be asked for. */
function addNeighbours(river: River, { part, index }: Delivery, freed: Delivery[]): void {
  for (const follower of river.hand.followersOf(part, index)) {
    if (follower.part !== part || part.follows[follower.index] !== Follows.waits) return;
    freed.push(follower);
  }
}

function sendOn(river: River, deliveries: readonly Delivery[], launch: (part: Part) => void): void {
  for (const [part, indices] of byPart(deliveries)) {
    const { partition } = part;
    if (part.isLeftBehind) partition.leftBehind -= indices.length;
    if (partition.over) continue;
    const going = river.hand.split(part, indices);
    going.waited = true;
    launch(going);
  }
}

/** Deliveries by their part, in the order of reading. */
function byPart(deliveries: readonly Delivery[]): Map<Part, number[]> {
  const parts = new Map<Part, number[]>();
  for (const { part, index } of deliveries) {
    const indices = parts.get(part);
    if (indices) indices.push(index);
    else parts.set(part, [index]);
  }
  for (const indices of parts.values()) indices.sort((a, b) => a - b);
  return parts;
}

/** Copies that wait still may wait long: they do not keep the buffer of their batch alive. */
function leaveBehind(river: River, part: Part): void {
  const copies = part.inLine().filter((i) => part.follows[i] === Follows.waits);
  if (copies.length === 0) return;
  river.hand.split(part, copies).isLeftBehind = true;
  part.partition.leftBehind += copies.length;
}

/** Parts overlap up to a limit; checkpoints follow behind, one commit at a time. */
export function overlapping(
  river: River,
  live: ReadonlyMap<string, Partition>,
  inFlightMax: number,
): Current {
  const { change } = river;
  let inFlight = 0;
  /** Parts that count in the limit. */
  let inTheWay = 0;
  let committing = false;
  let asking = false;

  const launch = async (part: Part): Promise<void> => {
    inFlight++;
    inTheWay++;
    let isInTheWay = true;
    const delivered = (): void => {
      if (isInTheWay) inTheWay--;
      isInTheWay = false;
      change.tell();
    };
    await river.attempt(() => passOn(river, part, again, delivered));
    delivered();
    inFlight--;
    change.tell();
    commitSoon();
    askSoon();
  };
  const again = (part: Part): void => {
    void launch(part);
  };
  const commitSoon = (): void => {
    if (committing || inStep(live)) return;
    committing = true;
    void river
      .attempt(() => commitCheckpoints(river, live.values()))
      .finally(() => {
        committing = false;
        change.tell();
        if (!river.signal.aborted) commitSoon();
      });
  };
  const askSoon = (): void => {
    if (asking || !isWaiting(live)) return;
    asking = true;
    void river.attempt(askHeld).finally(() => {
      asking = false;
      change.tell();
      if (!river.signal.aborted) askSoon();
    });
  };
  const askHeld = async (): Promise<void> => {
    for (
      let ms: number = askAgainMs.first;
      isWaiting(live) && !river.signal.aborted;
      ms = Math.min(2 * ms, askAgainMs.most)
    ) {
      await river.clock.sleep(ms, river.signal);
      await Promise.all([...live.values()].flatMap((partition) => partition.aside.splice(0).map(launch)));
    }
  };

  return {
    carry: (parts) => {
      for (const part of parts) {
        takeInHand(river, part);
        void launch(part);
      }
      commitSoon();
    },
    follow: (deliveries) => {
      sendOn(river, deliveries, again);
    },
    alone: (work) => work(),
    room: (signal) => change.until(() => inTheWay < inFlightMax || signal.aborted),
    settled: ({ evenHeld, signal }) =>
      change.until(
        () =>
          signal.aborted ||
          river.signal.aborted ||
          (inFlight === 0 && !committing && inStep(live) && (!evenHeld || (!asking && !isWaiting(live)))),
      ),
  };
}

/** Every checkpoint is where it can be. */
function inStep(live: ReadonlyMap<string, Partition>): boolean {
  for (const partition of live.values()) if (partition.progress.peek()) return false;
  return true;
}
function isWaiting(live: ReadonlyMap<string, Partition>): boolean {
  for (const partition of live.values()) if (partition.aside.length > 0) return true;
  return false;
}
