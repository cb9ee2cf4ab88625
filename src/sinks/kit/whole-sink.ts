import { HapaxError } from '../../core/errors.ts';
import type { Sink } from '../../core/sink.ts';
import { NdjsonWriter } from './ndjson-writer.ts';
import type { Output } from './output.ts';

/** A sink of lines whose output counts only when it is finished. */
export interface WholeSink extends Sink {
  /** Bytes that belong to no delivery. */
  append(bytes: Uint8Array): Promise<void>;
  /** All is written. Closed without it, no output is left where that can be. */
  finish(): Promise<void>;
}

/** `name` is for people; `keep` and `drop` end the output. */
export function wholeSink(
  name: string,
  output: Output,
  keep: () => Promise<void>,
  drop: () => Promise<void>,
): WholeSink {
  const writer = new NdjsonWriter(output);
  let over = false;
  const or001 = (error: unknown): never => {
    throw HapaxError.because('HPX-O001', name, error);
  };
  return {
    write: (outgoing) => writer.write(outgoing).catch(or001),
    append: (bytes) => writer.append(bytes).catch(or001),
    async finish() {
      await writer.end().then(keep).catch(or001);
      over = true;
    },
    async close() {
      if (!over) await drop();
      over = true;
    },
  };
}
