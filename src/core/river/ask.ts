import { Verdict } from '../verdict.ts';
import type { Claimed, WindowStore } from '../store.ts';
import { Fate } from './fate.ts';
import type { Part } from './part.ts';
import type { River } from './river.ts';

/** Claims what can be claimed of a part, and gives each delivery its fate; what waits keeps `Fate.waits`. */
export async function ask(river: River, part: Part): Promise<void> {
  part.partition.under.add(part);
  part.asking = true;
  const unchecked: number[] = [];
  const known =
    (await askThose(river, part, unasked(part), unchecked)) &&
    (await askThose(river, part, freeCopies(river, part), unchecked));
  part.asking = false;
  if (!known) return;
  part.fates = river.decide({ ...part.keys, verdicts: part.verdicts, now: part.now });
  for (const i of unchecked) part.fates[i] = Fate.of('unchecked', 'emit', 'keep');
}

function unasked({ count, follows, verdicts }: Part): Uint32Array {
  const found = new Uint32Array(count);
  let n = 0;
  for (let i = 0; i < count; i++) {
    if (follows[i] === 0 && (verdicts[i] === Verdict.none || verdicts[i] === Verdict.held)) found[n++] = i;
  }
  return found.subarray(0, n);
}

/** Copies of what was settled before: there is no claim to wait for, so they are asked for all at once. */
function freeCopies(river: River, part: Part): Uint32Array {
  const copies = part.where((i) => {
    const leader = part.follows[i] === 1 ? river.hand.leaderOf(part, i) : undefined;
    return leader !== undefined && wasSettled(leader.part.verdicts[leader.index]);
  });
  for (const i of copies) part.follows[i] = 0;
  return copies;
}

function wasSettled(verdict: number): boolean {
  return verdict === Verdict.duplicate || verdict === Verdict.doneFirst || verdict === Verdict.doneResumed;
}

async function askThose(river: River, part: Part, asked: Uint32Array, unchecked: number[]): Promise<boolean> {
  return asked.length === 0 || claim(river, part, asked, unchecked);
}

/** False if it is fenced. What passes without a verdict, because the policy says so, is told as `unchecked`. */
async function claim(river: River, part: Part, asked: Uint32Array, unchecked: number[]): Promise<boolean> {
  const claims = { ...part.claims(asked), call: ++part.partition.calls };
  const takeOver = tooLongHeld(river, part);
  const answer = await claimed(river, (store) => store.claim({ ...claims, ...(takeOver && { takeOver }) }));
  if (answer === 'unchecked') return pass(part, asked, unchecked);
  if (!note(river, part, asked, answer)) return false;
  if (!claims.standIns || river.policies.observe || river.policies.conflict === 'drop') return true;
  return claimStandIns(
    river,
    part,
    asked.filter((i) => part.verdicts[i] === Verdict.conflict),
    unchecked,
  );
}

function pass(part: Part, asked: Uint32Array, unchecked: number[]): true {
  for (const i of asked) {
    part.verdicts[i] = Verdict.none;
    unchecked.push(i);
  }
  return true;
}

/** What is in conflict has no mark of its own: it is claimed by position and bytes, so that a crash does not do it again. */
async function claimStandIns(
  river: River,
  part: Part,
  conflicts: Uint32Array,
  unchecked: number[],
): Promise<boolean> {
  if (conflicts.length === 0) return true;
  for (const i of conflicts) {
    river.follow(river.hand.leave(part, i));
    part.standsIn[i] = 1;
  }
  const claims = { ...part.claims(conflicts), call: ++part.partition.calls };
  const answer = await claimed(river, (store) => store.claim(claims));
  if (answer === 'unchecked') return pass(part, conflicts, unchecked);
  if (!note(river, part, conflicts, answer)) return false;
  for (const i of conflicts) {
    const verdict = part.verdicts[i];
    if (verdict === Verdict.first || verdict === Verdict.resumed) part.verdicts[i] = Verdict.conflict;
    else if (verdict === Verdict.doneFirst || verdict === Verdict.doneResumed)
      part.verdicts[i] = Verdict.doneConflict;
  }
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
    river.notify({ type: 'waiting', on: 'store', attempt: 1, ms: 0, error });
    return 'unchecked';
  }
}

function note(river: River, part: Part, asked: Uint32Array, answer: Claimed): boolean {
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

function tooLongHeld(river: River, part: Part): boolean {
  if (part.heldSince === undefined) return false;
  const forMs = river.clock.monotonic() - part.heldSince;
  if (forMs < river.policies.heldMsMax) return false;
  river.notify({ type: 'held', partition: part.partition.name, position: part.batch.positions[0], forMs });
  return river.policies.held === 'take-over';
}
