import { Verdict } from '../verdict.ts';
import { entryOf, Fate, isMark } from './fate.ts';
import type { Delivery } from './hand.ts';
import type { Part } from './part.ts';
import type { River } from './river.ts';

/** Whoever only observes lets no copy wait. */
export function takeInHand(river: River, part: Part): void {
  if (!river.policies.observe) river.hand.enter(part);
}

/** Books every delivery that has its outcome. */
export function book(part: Part): void {
  const { fates, numbers } = part;
  for (let i = 0; i < fates.length; i++) {
    if (fates[i] !== Fate.waits) part.partition.progress.finish(numbers[i], entryOf[fates[i]]);
  }
}

/** Deliveries that are done leave the hand; answers who followed them, and whether their key is settled now. */
export function leave(
  river: River,
  part: Part,
): { follower: Delivery; settled: boolean; accepted: number }[] {
  const freed: { follower: Delivery; settled: boolean; accepted: number }[] = [];
  part.partition.under.delete(part);
  for (let i = 0; i < part.count; i++) {
    if (part.fates[i] === Fate.waits || !part.leads[i]) continue;
    const followers = river.hand.leave(part, i);
    if (followers.length === 0) continue;
    const settled = isSettled(part, i);
    for (const follower of followers) {
      const alike = settled && sameBody(part, i, follower.part, follower.index);
      freed.push({ follower, settled: alike, accepted: part.accepted[i] });
    }
  }
  return freed;
}

/** Everything of the part leaves the hand undone; its session is over, or the worker stops. */
export function giveUp(river: River, part: Part): Delivery[] {
  const freed: Delivery[] = [];
  part.partition.under.delete(part);
  for (let i = 0; i < part.count; i++) {
    freed.push(...river.hand.leave(part, i));
  }
  return freed;
}

/** A copy of it is a duplicate from now on: this session has just settled it. */
export function isSettled(part: Part, i: number): boolean {
  return isMark(part.fates[i], 'settle');
}

export function sameBody(a: Part, i: number, b: Part, k: number): boolean {
  const [left, right] = [a.keys.bodies, b.keys.bodies];
  if (!left || !right) return true;
  return left[2 * i] === right[2 * k] && left[2 * i + 1] === right[2 * k + 1];
}

/** The follower is a duplicate of what was just settled. */
export function becomeDuplicate({ part, index }: Delivery, accepted: number, now: number): void {
  part.follows[index] = 0;
  part.verdicts[index] = Verdict.duplicate;
  part.accepted[index] = accepted;
  part.now = now;
}

/** Deliveries by their part, in the order in which they come. */
export function byPart(deliveries: readonly Delivery[]): Map<Part, number[]> {
  const parts = new Map<Part, number[]>();
  for (const { part, index } of deliveries) {
    const indices = parts.get(part);
    if (indices) indices.push(index);
    else parts.set(part, [index]);
  }
  for (const indices of parts.values()) indices.sort((a, b) => a - b);
  return parts;
}
