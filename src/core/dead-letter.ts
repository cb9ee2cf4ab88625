import { Buffer, isUtf8 } from 'node:buffer';
import { payloadOf, type Batch } from './event.ts';

/** Why a delivery is dead-lettered: `code` is a stable word, `reason` is for people. */
export interface Letter {
  readonly index: number;
  readonly code: string;
  readonly reason: string;
  /** 1 = the first time; more where it was redriven before. */
  readonly attempt?: number;
}

/** A dead letter as it is written. */
export interface DeadLetter {
  readonly code: string;
  readonly reason: string;
  readonly source: string;
  readonly partition: string;
  readonly offset: number;
  /** RFC 3339 */
  readonly time: string;
  readonly attempt: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** In place of `body` where the bytes are not UTF-8. */
  readonly body_base64?: string;
}

/** Their own partition when they are redriven: they have no position at the source any more, so they are numbered. */
export const redrivePartition = 'redrive';

/** The payload of the delivery as it came. */
export function bodyOf({ body, body_base64: base64 }: DeadLetter): Uint8Array {
  return base64 === undefined ? Buffer.from(body ?? '') : Buffer.from(base64, 'base64');
}

/** What a line is, if it is a dead letter. */
export function parseDeadLetter(line: Uint8Array): DeadLetter | undefined {
  try {
    const letter = JSON.parse(Buffer.from(line).toString()) as Partial<DeadLetter> | null;
    return letter && isLetter(letter) ? letter : undefined;
  } catch {
    return undefined;
  }
}

function isLetter(it: Partial<DeadLetter>): it is DeadLetter {
  const texts = [it.code, it.reason, it.source, it.partition, it.time];
  const bodies = [it.body, it.body_base64].filter((body) => body !== undefined);
  return (
    texts.every((text) => typeof text === 'string') &&
    typeof it.offset === 'number' &&
    typeof it.attempt === 'number' &&
    Array.isArray(it.headers) &&
    bodies.length === 1 &&
    typeof bodies[0] === 'string'
  );
}

/** Dead letters as payloads of NDJSON. */
export function deadLetterBatch(
  batch: Batch,
  letters: readonly Letter[],
  from: { source: string; time: number },
): Batch {
  const lines = letters.map((letter) => Buffer.from(JSON.stringify(envelope(batch, letter, from))));
  const starts = new Uint32Array(lines.length);
  const ends = new Uint32Array(lines.length);
  let at = 0;
  lines.forEach((line, k) => {
    starts[k] = at;
    ends[k] = at += line.length;
  });
  const positions = Float64Array.from(letters, ({ index }) => batch.positions[index]);
  return {
    partition: batch.partition,
    count: lines.length,
    bytes: Buffer.concat(lines),
    starts,
    ends,
    positions,
    next: batch.next,
  };
}

function envelope(
  batch: Batch,
  { index, code, reason, attempt = 1 }: Letter,
  { source, time }: { source: string; time: number },
): DeadLetter {
  const payload = payloadOf(batch, index);
  const headers = batch.headersOf?.(index)?.map(([name, value]) => [name, text(value)] as const) ?? [];
  return {
    code,
    reason,
    source,
    partition: batch.partition,
    offset: batch.positions[index],
    time: new Date(time).toISOString(),
    attempt,
    headers,
    ...(isUtf8(payload) ? { body: text(payload) } : { body_base64: Buffer.from(payload).toString('base64') }),
  };
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
