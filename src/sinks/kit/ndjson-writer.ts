import { isUtf8 } from 'node:buffer';
import { payloadOf, type Batch } from '../../core/event.ts';
import { allWritten, type Outgoing, type Written } from '../../core/sink.ts';
import type { Output } from './output.ts';

const LF = 10;
const CR = 13;
const space = 32;
/** Up to so many runs of a batch go out as they are; more are cheaper to copy together first. */
const runsMax = 200;

/**
 * Writes deliveries as lines. Framed text goes out verbatim, with a line feed only where something follows what had
 * none; payloads of other sources get their own line, JSON over several lines too. After a failed write all others fail as it did, so that
 * nothing is out twice or out of order.
 */
export class NdjsonWriter {
  readonly #output: Output;
  #last: Promise<unknown> = Promise.resolve();
  #lineIsOpen: boolean;
  #copy = Buffer.alloc(0);

  /** `lineIsOpen`: what the output has already ends without a line feed. */
  constructor(output: Output, lineIsOpen = false) {
    this.#output = output;
    this.#lineIsOpen = lineIsOpen;
  }

  write(outgoing: Outgoing): Promise<Written> {
    return this.#next(async () => {
      const { batch, indices } = outgoing;
      if (batch.frames) await this.#put(this.#runs(batch.bytes, batch.frames, indices));
      else return this.#putLines(batch, indices);
      return allWritten;
    });
  }

  /** Bytes as they are. */
  append(bytes: Uint8Array): Promise<void> {
    return this.#next(() => this.#put([bytes]));
  }

  end(): Promise<void> {
    return this.#next(() => this.#output.end());
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done;
    done.catch(() => undefined);
    return done;
  }

  async #put(pieces: readonly Uint8Array[]): Promise<void> {
    const end = pieces.at(-1)?.at(-1);
    if (end === undefined) return;
    await this.#output.write(this.#lineIsOpen ? [Uint8Array.of(LF), ...pieces] : pieces);
    this.#lineIsOpen = end !== LF;
  }

  /** Frames that stand side by side are one run. */
  #runs(bytes: Uint8Array, frames: Uint32Array, indices: Uint32Array): Uint8Array[] {
    const runs: Uint8Array[] = [];
    for (let k = 0; k < indices.length; k++) {
      const from = frames[indices[k]];
      while (k + 1 < indices.length && indices[k + 1] === indices[k] + 1) k++;
      runs.push(bytes.subarray(from, frames[indices[k] + 1]));
    }
    return runs.length > runsMax ? [this.#together(runs, bytes.length)] : runs;
  }

  #together(runs: readonly Uint8Array[], sizeMax: number): Uint8Array {
    if (this.#copy.length < sizeMax) this.#copy = Buffer.allocUnsafeSlow(sizeMax);
    let size = 0;
    for (const run of runs) {
      this.#copy.set(run, size);
      size += run.length;
    }
    return this.#copy.subarray(0, size);
  }

  async #putLines(batch: Batch, indices: Uint32Array): Promise<Written> {
    const payloads = Array.from(indices, (i) => payloadOf(batch, i));
    const reasons = payloads.map(unfit);
    await this.#put([Buffer.concat(payloads.filter((_, at) => reasons[at] === undefined).map(asLine))]);
    const rejected = reasons.flatMap((reason, at) => (reason === undefined ? [] : [{ at, reason }]));
    return rejected.length > 0 ? { rejected } : allWritten;
  }
}

/** Why a payload cannot be a line. A line break is allowed in JSON alone, where it means nothing. */
function unfit(payload: Uint8Array): string | undefined {
  if (!isUtf8(payload)) return 'encoding';
  const isOneLine = !payload.includes(LF) && !payload.includes(CR);
  return isOneLine || isJson(payload) ? undefined : 'line break';
}

function isJson(payload: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(payload).toString());
    return true;
  } catch {
    return false;
  }
}

/** Line breaks between the tokens of JSON become blanks. */
function asLine(payload: Uint8Array): Uint8Array {
  const line = new Uint8Array(payload.length + 1);
  line.set(payload);
  for (let i = 0; i < payload.length; i++) if (line[i] === LF || line[i] === CR) line[i] = space;
  line[payload.length] = LF;
  return line;
}
