import { payloadOf, type Batch } from '../../core/event.ts';
import { Unidentified, type Identity, type Keys } from '../../core/identity.ts';
import { entryOf } from './topic.ts';

/** One pipeline. */
export const keySpace = 'simulated';

function code(text: string): number[] {
  return Array.from(
    { length: 4 },
    (_, w) => Array.from(text).reduce((h, c) => (Math.imul(h, 31) + c.charCodeAt(0) + w) | 0, w + 7) >>> 0,
  );
}

/** Keys that a person can tell apart in a trace. `bytesInStandIn: false` is the mistake of claiming by position alone. */
export function simulatedIdentity({
  bodies = false,
  bytesInStandIn = true,
}: { bodies?: boolean; bytesInStandIn?: boolean } = {}): Identity {
  return {
    signature: 'simulated',
    keySpace,
    fingerprintOf: (id) => Uint32Array.from(code(String(id))),
    identify: (batch: Batch): Keys => {
      const entries = Array.from({ length: batch.count }, (_, i) => entryOf(payloadOf(batch, i)));
      const standIn = (i: number) =>
        code(`${batch.partition}:${batch.positions[i]}:${bytesInStandIn ? JSON.stringify(entries[i]) : ''}`);
      return {
        fingerprints: Uint32Array.from(
          entries.flatMap(({ key }, i) => (key.startsWith('?') ? standIn(i) : code(key))),
        ),
        reasons: Uint8Array.from(entries, ({ key }) =>
          key.startsWith('?') ? Unidentified.missing : Unidentified.no,
        ),
        ...(bodies && {
          bodies: Uint32Array.from(entries.flatMap(({ body }) => [body + 1, body + 1])),
          standIns: Uint32Array.from(entries.flatMap((_, i) => standIn(i))),
        }),
      };
    },
  };
}
