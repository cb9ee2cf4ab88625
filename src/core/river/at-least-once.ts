import { Verdict } from '../verdict.ts';
import { ask } from './ask.ts';
import { becomeDuplicate, book, byPart, giveUp, leave, takeInHand } from './conclude.ts';
import { commitCheckpoints } from './checkpointing.ts';
import { askAgainMs, type Current } from './current.ts';
import { deliver, mark } from './deliver.ts';
import { Fate } from './fate.ts';
import type { Delivery } from './hand.ts';
import type { Partition } from './partition.ts';
import { elsewhere, type Part } from './part.ts';
import type { River } from './river.ts';

/**
 * The way of a part with a sink that does not commit checkpoints:
 * claim, sink, settle, books. Parts overlap; writes of a partition keep the order of reading.
 * What waits is put aside, and work goes on behind it. `delivered` makes room for more where the store need not be
 * waited for.
 */
async function passOn(
  river: River,
  part: Part,
  again: (part: Part) => void,
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
  if (partition.over) return sendAgain(giveUp(river, part), again);
  book(part);
  river.notify({ type: 'booked', part });
  goOn(river, part, again);
}

/** What waits for somebody else's claim goes into a part of its own and is asked again. */
function putAside(river: River, part: Part): void {
  const held = part.where((i) => part.fates[i] === Fate.waits && !part.follows[i]);
  if (held.length > 0) {
    const waiting = part.subset(held);
    waiting.waited = true;
    waiting.heldSince = part.heldSince ?? river.clock.monotonic();
    held.forEach((i, k) => {
      river.hand.move(part, i, waiting, k);
      for (const copy of river.hand.followersOf(waiting, k)) if (copy.part.count > 1) keepApart(river, copy);
    });
    part.partition.aside.push(waiting);
  }
  for (let index = 0; index < part.count; index++) {
    const leader = part.follows[index] === 1 ? river.hand.leaderOf(part, index) : undefined;
    if (leader?.part.heldSince !== undefined) keepApart(river, { part, index });
  }
}

/** A copy of what is aside may wait long; alone it does not keep the buffer of its batch alive. */
function keepApart(river: River, { part, index }: Delivery): void {
  river.hand.move(part, index, part.subset([index]), 0);
}

/** Copies of what is done: duplicates if it was settled, else the next of them leads. */
function goOn(river: River, part: Part, again: (part: Part) => void): void {
  const freed = leave(river, part);
  if (freed.length === 0) return;
  for (const { follower, settled, accepted } of freed) {
    if (settled) becomeDuplicate(follower, accepted, part.now);
  }
  sendAgain(
    freed.map(({ follower }) => follower),
    again,
  );
}

function sendAgain(deliveries: readonly Delivery[], again: (part: Part) => void): void {
  for (const [part, indices] of byPart(deliveries)) {
    if (part.partition.over) continue;
    const waited = part.subset(indices);
    waited.waited = true;
    // Their part may be asking or about to be written still: what goes on here is not done there as well.
    for (const i of indices) {
      part.follows[i] = elsewhere;
      part.verdicts[i] = Verdict.none;
    }
    again(waited);
  }
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
    for (let i = 0; i < part.count; i++) if (part.verdicts[i] === Verdict.none) river.hand.join(part, i);
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
    if (asking || waiting(live) === 0) return;
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
      waiting(live) > 0 && !river.signal.aborted;
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
      sendAgain(deliveries, again);
    },
    room: (signal) => change.until(() => inTheWay < inFlightMax || signal.aborted),
    settled: ({ evenHeld, signal }) =>
      change.until(
        () =>
          signal.aborted ||
          river.signal.aborted ||
          (inFlight === 0 && !committing && inStep(live) && (!evenHeld || (!asking && waiting(live) === 0))),
      ),
  };
}

/** Every checkpoint is where it can be. */
function inStep(live: ReadonlyMap<string, Partition>): boolean {
  for (const partition of live.values()) if (partition.progress.peek()) return false;
  return true;
}
function waiting(live: ReadonlyMap<string, Partition>): number {
  let n = 0;
  for (const partition of live.values()) n += partition.aside.length;
  return n;
}
