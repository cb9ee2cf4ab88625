import { isUtf8 } from 'node:buffer';
import { payloadOf, type Batch } from '../event.ts';

/**
 * Which payloads of a batch are UTF-8: one look at all of them, and one at each only if that fails. Two halves of
 * a character in neighbouring payloads look well together, so each must begin and end at a whole one.
 */
export class Utf8Check {
  readonly #batch: Batch;
  readonly #from: number;
  readonly #to: number;

  constructor(batch: Batch) {
    this.#batch = batch;
    const from = batch.count > 0 ? batch.starts[0] : 0;
    const to = batch.count > 0 ? batch.ends[batch.count - 1] : 0;
    this.#from = from;
    this.#to = isUtf8(batch.bytes.subarray(from, to)) ? to : 0;
  }

  holds(i: number): boolean {
    const { bytes, starts, ends } = this.#batch;
    const start = starts[i];
    const end = ends[i];
    if (start < this.#from || end > this.#to) return isUtf8(payloadOf(this.#batch, i));
    return start === end || (isBoundary(bytes[start]) && (end === this.#to || isBoundary(bytes[end])));
  }
}

function isBoundary(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}
