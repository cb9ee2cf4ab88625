import { Unidentified } from './identity.ts';
import { Fate } from './river/fate.ts';
import type { Policies } from './policies.ts';
import { Verdict } from './verdict.ts';

/** What is known of a batch once it has been claimed; an element for each delivery. */
interface Known {
  /** `Verdict` bytes; `none` = it waits for a copy in hand. */
  readonly verdicts: Uint8Array;
  /** Not 0 = unidentified. */
  readonly reasons: Uint8Array;
  /** ms since 1970, NaN = unknown. */
  readonly times?: Float64Array;
  /** Indices for which the store gave no answer and need not be waited for. */
  readonly unchecked?: readonly number[];
  /** The store's time, ms since 1970. */
  readonly now: number;
}

/** What is known of a batch in, a fate for each delivery out. */
export type Decide = (known: Known) => Uint8Array;

/** The one room where verdicts and policies meet. */
export function deciding(policies: Policies, windowMs: number): Decide {
  const ordinary = policies.observe ? observedFates : identifiedFates(policies);
  const nameless = unidentifiedFates(policies);
  // What was too large to be held is not whole any more and cannot go on.
  const cut = unidentifiedFates({ ...policies, unidentified: 'dead-letter', observe: false });
  const late = lateFate(policies);
  const wasLate = Fate.of('late', 'emitted', 'keep');
  const unmarked = uncheckedFates(policies);
  return ({ verdicts, reasons, times, unchecked = [], now }) => {
    const oldest = now - windowMs;
    const fates = new Uint8Array(verdicts.length);
    for (let i = 0; i < fates.length; i++) {
      const fateOf = reasons[i] === 0 ? ordinary : reasons[i] === Unidentified.tooLarge ? cut : nameless;
      fates[i] = fateOf[verdicts[i]];
      if (times && reasons[i] === 0 && times[i] < oldest) {
        if (verdicts[i] === Verdict.first) fates[i] = late;
        else if (verdicts[i] === Verdict.doneFirst) fates[i] = wasLate;
      }
    }
    for (const i of unchecked) fates[i] = unmarked[reasons[i]];
    return fates;
  };
}

function table(fates: Partial<Record<keyof typeof Verdict, Fate>>): Uint8Array {
  const bytes = new Uint8Array(Object.keys(Verdict).length);
  for (const [name, fate] of Object.entries(fates)) bytes[Verdict[name as keyof typeof Verdict]] = fate;
  return bytes;
}

const done = {
  doneFirst: Fate.of('first', 'emitted', 'keep'),
  doneResumed: Fate.of('resumed', 'emitted', 'keep'),
};

function identifiedFates({ conflict }: Policies): Uint8Array {
  return table({
    first: Fate.of('first', 'emit', 'settle'),
    resumed: Fate.of('resumed', 'emit', 'settle'),
    duplicate: Fate.of('duplicate', 'drop', 'keep'),
    conflict:
      conflict === 'drop'
        ? Fate.of('conflict', 'drop', 'keep')
        : Fate.of('conflict', conflict === 'pass' ? 'emit' : 'bury', 'settle'),
    held: Fate.waits,
    doneConflict: Fate.of('conflict', conflict === 'pass' ? 'emitted' : 'buried', 'keep'),
    ...done,
  });
}

/** Claimed by position and bytes, so a duplicate is the very same delivery, read once more. */
function unidentifiedFates({ unidentified, observe }: Policies): Uint8Array {
  const passes = observe || unidentified === 'pass';
  const fate = Fate.of('unidentified', passes ? 'emit' : 'bury', 'settle');
  const already = Fate.of('unidentified', passes ? 'emitted' : 'buried', 'keep');
  return table({
    first: fate,
    resumed: fate,
    duplicate: Fate.of('duplicate', observe ? 'emit' : 'drop', 'keep'),
    held: Fate.waits,
    doneFirst: already,
    doneResumed: already,
    doneConflict: already,
  });
}

/** By `Unidentified`: what the policy puts aside is put aside without a mark too. */
function uncheckedFates({ unidentified, observe }: Policies): Uint8Array {
  const passes = Fate.of('unchecked', 'emit', 'keep');
  const buried = Fate.of('unidentified', 'bury', 'keep');
  const ofNameless = observe || unidentified === 'pass' ? passes : buried;
  return Uint8Array.from(Object.values(Unidentified), (reason) => {
    if (reason === Unidentified.tooLarge) return buried;
    return reason === Unidentified.no ? passes : ofNameless;
  });
}

function lateFate({ late, observe }: Policies): Fate {
  if (observe || late === 'pass') return Fate.of('late', 'emit', 'settle');
  return Fate.of('late', late === 'drop' ? 'drop' : 'bury', 'release');
}

const observedFates = table({
  first: Fate.of('first', 'emit', 'settle'),
  resumed: Fate.of('resumed', 'emit', 'settle'),
  duplicate: Fate.of('duplicate', 'emit', 'keep'),
  conflict: Fate.of('conflict', 'emit', 'keep'),
  held: Fate.of('duplicate', 'emit', 'keep'),
  doneConflict: Fate.of('conflict', 'emitted', 'keep'),
  ...done,
});
