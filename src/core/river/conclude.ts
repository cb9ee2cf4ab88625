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

/** Everything of the part leaves the hand, done or given up; answers the copies that lead now and wait to be asked for. */
export function leaveHand(river: River, part: Part): Delivery[] {
  part.partition.under.delete(part);
  const next: Delivery[] = [];
  for (const i of part.inLine()) {
    const heir = leave(river, part, i);
    if (heir) next.push(heir);
  }
  river.hand.leaveAlone(part);
  return next;
}

/** Whoever leads now lives: copies of sessions that are over are somebody else's work. */
export function leave(river: River, part: Part, index: number): Delivery | undefined {
  let next = river.hand.leave(part, index);
  while (next?.part.partition.over) next = river.hand.leave(next.part, next.index);
  return next;
}

/** A copy of it is a duplicate from now on: this session has just settled its key. */
export function isSettled(part: Part, i: number): boolean {
  return isMark(part.fates[i], 'settle') && part.standsIn[i] === 0;
}

/** Its key had an owner before: there is no claim that copies would have to wait for. */
export function wasTaken(part: Part, i: number): boolean {
  return takenBefore[part.verdicts[i]] === 1;
}
const taken: readonly Verdict[] = [
  Verdict.duplicate,
  Verdict.conflict,
  Verdict.doneFirst,
  Verdict.doneResumed,
  Verdict.doneConflict,
];
const takenBefore = Uint8Array.from(Object.values(Verdict), (verdict) => +taken.includes(verdict));

export function sameBody(a: Part, i: number, b: Part, k: number): boolean {
  const [left, right] = [a.keys.bodies, b.keys.bodies];
  if (!left || !right) return true;
  return left[2 * i] === right[2 * k] && left[2 * i + 1] === right[2 * k + 1];
}
