import type { Policies } from '../core/policies.ts';
import type { Settings } from './schema.ts';

/** The engine's policies. What has no id under `fingerprint` all the same, like a line that is too long, is put aside. */
export function policiesOf({ policies, deadLetter }: Pick<Settings, 'policies' | 'deadLetter'>): Policies {
  const { unidentified, heldMaxMs, ...others } = policies;
  const careful = deadLetter ? 'dead-letter' : 'stop';
  return {
    ...others,
    heldMsMax: heldMaxMs,
    unidentified: unidentified === 'fingerprint' ? careful : unidentified,
  };
}
