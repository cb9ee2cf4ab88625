import type { Batch } from '../core/event.ts';
import type { Outgoing } from '../core/sink.ts';

export type Payload = string | Uint8Array;

export function bytesOf(payload: Payload): Uint8Array {
  return typeof payload === 'string' ? Buffer.from(payload) : payload;
}

/** Payloads side by side, with bytes of nobody before, between and after them. */
export function batchOf(payloads: readonly Payload[], { partition = 'p', position = 0 } = {}): Batch {
  const gap = Buffer.from('#');
  const pieces = payloads.flatMap((payload) => [gap, bytesOf(payload)]);
  const starts = new Uint32Array(payloads.length);
  const ends = new Uint32Array(payloads.length);
  let at = 0;
  payloads.forEach((payload, i) => {
    starts[i] = at + gap.length;
    ends[i] = at = starts[i] + bytesOf(payload).length;
  });
  return {
    partition,
    count: payloads.length,
    bytes: new Uint8Array(Buffer.concat([...pieces, gap])),
    starts,
    ends,
    positions: Float64Array.from(starts, (_, i) => position + i),
    next: position + payloads.length,
  };
}

/** Text by lines: the terminators belong to the frames, not to the payloads. */
export function framedBatchOf(lines: readonly string[]): Batch {
  const frames = new Uint32Array(lines.length + 1);
  const ends = new Uint32Array(lines.length);
  lines.forEach((line, i) => {
    frames[i + 1] = frames[i] + Buffer.byteLength(line);
    ends[i] = frames[i] + Buffer.byteLength(line.replace(/\r?\n$/, ''));
  });
  return {
    partition: 'p',
    count: lines.length,
    bytes: new Uint8Array(Buffer.from(lines.join(''))),
    starts: frames.slice(0, -1),
    ends,
    frames,
    positions: Float64Array.from(frames.subarray(0, -1)),
    next: frames[lines.length],
  };
}

/** All of the batch, or some. */
export function outgoing(batch: Batch, indices: readonly number[] = [...batch.ends.keys()]): Outgoing {
  return { batch, indices: Uint32Array.from(indices) };
}
