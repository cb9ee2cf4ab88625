/**
 * The unit of the engine: a batch of deliveries of one partition, as one buffer with offsets.
 * There is no object, no promise and no string for a single delivery on the hot path.
 *
 * Words used by every contract (docs/reference/glossary.md has them all): an *event* happened once; a
 * *delivery* is one arrival of it; a *position* is where a source can give the very same delivery again.
 */

/** Headers as the transport gave them: order, repetition and bytes kept. */
export type Headers = readonly (readonly [name: string, value: Uint8Array])[];

export interface Batch {
  /** Name of the partition at its source, for instance `events/a.ndjson` or `orders/3`. */
  readonly partition: string;
  readonly count: number;
  readonly bytes: Uint8Array;
  /** The payload of delivery `i` is `bytes[starts[i] … ends[i])`. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Only from framed text: delivery `i` came as `bytes[frames[i] … frames[i + 1])`, terminator included. Length `count + 1`. */
  readonly frames?: Uint32Array;
  /** Offset of each delivery at its source, rising within a batch; safe integers. */
  readonly positions: Float64Array;
  /** The position to read from when all of this batch is done. */
  readonly next: number;
  /** `Unidentified` as a byte where the source itself found a delivery unfit; with `tooLarge` its payload is cut, and it never reaches a sink. */
  readonly flaws?: Uint8Array;
  /** Only of what was dead-lettered before and is redriven: how often it was tried. */
  readonly attempts?: Uint8Array;
  readonly headersOf?: (i: number) => Headers | undefined;
  readonly messageKeyOf?: (i: number) => Uint8Array | undefined;
}

/** The bytes of delivery `i`, a view. */
export function payloadOf(batch: Batch, i: number): Uint8Array {
  return batch.bytes.subarray(batch.starts[i], batch.ends[i]);
}

/** A batch of the chosen deliveries with a copy of their bytes, so that the rest of the buffer can go. */
export function pick(batch: Batch, indices: ArrayLike<number>): Batch {
  const count = indices.length;
  const framed = batch.frames;
  let size = 0;
  for (let k = 0; k < count; k++) {
    const i = indices[k];
    size += framed ? framed[i + 1] - framed[i] : batch.ends[i] - batch.starts[i];
  }
  const bytes = new Uint8Array(size);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const positions = new Float64Array(count);
  const frames = framed && new Uint32Array(count + 1);
  const chosen = Array.from(indices);
  let at = 0;
  chosen.forEach((i, k) => {
    const from = framed ? framed[i] : batch.starts[i];
    const to = framed ? framed[i + 1] : batch.ends[i];
    bytes.set(batch.bytes.subarray(from, to), at);
    starts[k] = at + batch.starts[i] - from;
    ends[k] = at + batch.ends[i] - from;
    positions[k] = batch.positions[i];
    if (frames) frames[k] = at;
    at += to - from;
  });
  if (frames) frames[count] = at;
  return {
    partition: batch.partition,
    count,
    bytes,
    starts,
    ends,
    ...(frames && { frames }),
    positions,
    next: batch.next,
    ...(batch.flaws && { flaws: Uint8Array.from(chosen, (i) => batch.flaws![i]) }),
    ...(batch.attempts && { attempts: Uint8Array.from(chosen, (i) => batch.attempts![i]) }),
    ...(batch.headersOf && { headersOf: (k: number) => batch.headersOf?.(chosen[k]) }),
    ...(batch.messageKeyOf && { messageKeyOf: (k: number) => batch.messageKeyOf?.(chosen[k]) }),
  };
}

/** The deliveries `from … to` of a batch, as views. */
export function slice(batch: Batch, from: number, to: number): Batch {
  const { starts, ends, frames, positions, flaws, attempts } = batch;
  return {
    ...batch,
    count: to - from,
    starts: starts.subarray(from, to),
    ends: ends.subarray(from, to),
    ...(frames && { frames: frames.subarray(from, to + 1) }),
    positions: positions.subarray(from, to),
    next: to < batch.count ? positions[to] : batch.next,
    ...(flaws && { flaws: flaws.subarray(from, to) }),
    ...(attempts && { attempts: attempts.subarray(from, to) }),
    ...(batch.headersOf && { headersOf: (i: number) => batch.headersOf?.(from + i) }),
    ...(batch.messageKeyOf && { messageKeyOf: (i: number) => batch.messageKeyOf?.(from + i) }),
  };
}
