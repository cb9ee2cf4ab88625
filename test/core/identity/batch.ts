import type { Batch, Headers } from '../../../src/core/event.ts';
import type { Identity, Keys } from '../../../src/core/identity.ts';

export const space = { secret: new Uint8Array(32).fill(7), pipeline: 'orders' };

export interface Delivery {
  readonly payload?: string | Uint8Array;
  readonly headers?: Headers;
  readonly key?: Uint8Array;
}

/** Deliveries side by side, as a source with payloads without terminators has them. */
export function batchOf(deliveries: readonly (Delivery | string)[], partition = 'p', position = 0): Batch {
  const all = deliveries.map((delivery) => (typeof delivery === 'string' ? { payload: delivery } : delivery));
  const payloads = all.map(({ payload = '' }) => Buffer.from(payload as string));
  const starts = new Uint32Array(all.length);
  const ends = new Uint32Array(all.length);
  let at = 0;
  payloads.forEach((payload, i) => {
    starts[i] = at;
    at += payload.length;
    ends[i] = at;
  });
  return {
    partition,
    count: all.length,
    bytes: new Uint8Array(Buffer.concat(payloads)),
    starts,
    ends,
    positions: Float64Array.from(starts, (_, i) => position + i),
    next: position + all.length,
    headersOf: (i) => all[i].headers,
    messageKeyOf: (i) => all[i].key,
  };
}

export async function keysOf(identity: Identity, deliveries: readonly (Delivery | string)[]): Promise<Keys> {
  return identity.identify(batchOf(deliveries));
}

export function hex(words: Uint32Array, i = 0): string {
  return [...words.subarray(i * 4, i * 4 + 4)].map((word) => word.toString(16).padStart(8, '0')).join('');
}

/** The fingerprints of the deliveries, in hex. */
export async function fingerprintsOf(
  identity: Identity,
  deliveries: readonly (Delivery | string)[],
): Promise<string[]> {
  const { fingerprints } = await keysOf(identity, deliveries);
  return deliveries.map((_, i) => hex(fingerprints, i));
}
