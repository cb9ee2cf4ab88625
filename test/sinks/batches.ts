import type { Batch } from '../../src/core/event.ts';
import type { Outgoing } from '../../src/core/sink.ts';
import type { Arrival } from '../../src/testing/sink-suite/check.ts';

/** A batch of framed text; the payload of each frame is what is left without blanks around it. */
export function framed(...frames: string[]): Batch {
  const batch = plain(...frames);
  const trimmed = frames.map((frame) => Buffer.byteLength(frame) - Buffer.byteLength(frame.trimStart()));
  return {
    ...batch,
    starts: batch.starts.map((start, i) => start + trimmed[i]),
    frames: Uint32Array.of(0, ...batch.ends),
  };
}

/** A batch of a source that has messages. */
export function plain(...payloads: (string | Uint8Array)[]): Batch {
  const bytes = payloads.map((payload) => Buffer.from(payload as string));
  const ends = Uint32Array.from(
    bytes,
    (
      (at) => (payload: Buffer) =>
        (at += payload.length)
    )(0),
  );
  return {
    partition: 'p',
    count: bytes.length,
    bytes: Buffer.concat(bytes),
    starts: Uint32Array.of(0, ...ends).subarray(0, -1),
    ends,
    positions: Float64Array.from(ends),
    next: ends.at(-1) ?? 0,
  };
}

/** All of the batch, or some. */
export function some(batch: Batch, indices: readonly number[] = [...batch.ends.keys()]): Outgoing {
  return { batch, indices: Uint32Array.from(indices) };
}

/** What was written as lines, as the suite of the sinks reads it. */
export function linesOf(content: Buffer): Arrival[] {
  const lines = content.toString('latin1').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => ({ payload: Buffer.from(line, 'latin1') }));
}
