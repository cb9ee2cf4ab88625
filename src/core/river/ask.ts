import { isFinal } from '../errors.ts';
import { Verdict } from '../verdict.ts';
import type { Claim, Claimed, WindowStore } from '../store.ts';
import { wasTaken } from './conclude.ts';
import { Follows, type Part } from './part.ts';
import type { River } from './river.ts';

/** Claims what can be claimed of a part, and gives each delivery its fate; what waits keeps `Fate.waits`. */
export async function ask(river: River, part: Part): Promise<void> {
  const unchecked: number[] = [];
  part.partition.under.add(part);
  part.asking = true;
  const known =
    (await claim(river, part, unasked(part), unchecked, tooLongHeld(river, part))) &&
    (await claimAlong(river, part, unchecked)) &&
    (await claimStandIns(river, part, unchecked));
  part.asking = false;
  if (!known) return;
  followOn(part);
  part.fates = river.decide({ ...part.keys, verdicts: part.verdicts, unchecked, now: part.now });
}

function unasked({ count, follows, verdicts }: Part): Uint32Array {
  const found = new Uint32Array(count);
  let n = 0;
  for (let i = 0; i < count; i++) {
    if (follows[i] === Follows.nobody && (verdicts[i] === Verdict.none || verdicts[i] === Verdict.held))
      found[n++] = i;
  }
  return found.subarray(0, n);
}

/** False if it is fenced. What passes without a verdict, because the policy says so, is `unchecked`. */
async function claim(
  river: River,
  part: Part,
  asked: Uint32Array,
  unchecked: number[],
  takeOver = false,
): Promise<boolean> {
  if (asked.length === 0) return true;
  const claims: Claim = {
    ...part.claims(asked),
    call: ++part.partition.calls,
    ...(takeOver && { takeOver }),
  };
  const answer = await claimed(river, (store) => store.claim(claims));
  if (answer === 'unchecked') {
    for (const i of asked) {
      part.verdicts[i] = Verdict.none;
      unchecked.push(i);
    }
    return true;
  }
  if ('fenced' in answer) {
    river.end(part.partition, 'fenced', answer.fenced);
    return false;
  }
  for (let k = 0; k < asked.length; k++) {
    part.verdicts[asked[k]] = answer.verdicts[k];
    part.accepted[asked[k]] = answer.accepted[k];
  }
  part.now = answer.now;
  return true;
}

async function claimed(
  river: River,
  work: (store: WindowStore) => Promise<Claimed>,
): Promise<Claimed | 'unchecked'> {
  if (river.policies.store === 'wait') return river.patiently('store', () => work(river.store));
  try {
    return await work(river.store);
  } catch (error) {
    if (isFinal(error)) throw error;
    river.notify({ type: 'waiting', on: 'store', attempt: 1, ms: 0, error });
    return 'unchecked';
  }
}

/** Copies of what was taken before are asked for all at once, those of one key too. */
async function claimAlong(river: River, part: Part, unchecked: number[]): Promise<boolean> {
  const copies = part.inLine().filter((i) => {
    const leader = part.follows[i] === Follows.waits ? river.hand.leaderOf(part, i) : undefined;
    return leader !== undefined && wasTaken(leader.part, leader.index);
  });
  for (const i of copies) part.follows[i] = Follows.along;
  return claim(river, part, Uint32Array.from(copies), unchecked);
}

/** Copies that somebody else has at work now follow as before. */
function followOn(part: Part): void {
  for (const i of part.inLine()) {
    if (part.follows[i] !== Follows.along || part.verdicts[i] !== Verdict.held) continue;
    part.follows[i] = Follows.waits;
    part.verdicts[i] = Verdict.none;
    part.standsIn[i] = 0;
  }
}

/** What is in conflict has no mark of its own: it is claimed by position and bytes, so that a crash does not do it again. */
async function claimStandIns(river: River, part: Part, unchecked: number[]): Promise<boolean> {
  if (!part.keys.standIns || river.policies.observe || river.policies.conflict === 'drop') return true;
  const conflicts = part.where((i) => part.verdicts[i] === Verdict.conflict);
  for (const i of conflicts) part.standsIn[i] = 1;
  if (!(await claim(river, part, conflicts, unchecked))) return false;
  for (const i of conflicts) {
    const verdict = part.verdicts[i];
    if (verdict === Verdict.first || verdict === Verdict.resumed) part.verdicts[i] = Verdict.conflict;
    else if (verdict === Verdict.doneFirst || verdict === Verdict.doneResumed)
      part.verdicts[i] = Verdict.doneConflict;
  }
  return true;
}

function tooLongHeld(river: River, part: Part): boolean {
  if (part.heldSince === undefined) return false;
  const forMs = river.clock.monotonic() - part.heldSince;
  if (forMs < river.policies.heldMsMax) return false;
  river.notify({ type: 'held', partition: part.partition.name, position: part.batch.positions[0], forMs });
  return river.policies.held === 'take-over';
}
