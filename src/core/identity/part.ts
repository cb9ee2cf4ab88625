import type { Batch } from '../event.ts';
import { Unidentified, type TypedId } from '../identity.ts';
import { Found, JsonScanner, textAt } from './json-scan.ts';
import type { Message } from './message.ts';
import { normalise, type Normaliser } from './normalise.ts';

/** Where one part of a key comes from. */
export interface Part {
  /** Names the part and all that changes its value. */
  readonly signature: string;
  /** The part is what the scanner found in this slot, just as it stands. */
  readonly slot?: number | undefined;
  /** Adds the part of delivery `i` to the message, or says why there is none. */
  put(message: Message, batch: Batch, i: number, view: DataView): Unidentified;
  /** Adds what a person typed as if it had been found. */
  putTyped(message: Message, value: TypedId): void;
}

/** What the scanner found at a pointer: a text (decoded) or a number (by its digits). */
export class JsonPart implements Part {
  readonly signature: string;
  readonly slot: number | undefined;
  readonly #scanner: JsonScanner;
  readonly #slot: number;
  readonly #normalisers: readonly Normaliser[];

  constructor(scanner: JsonScanner, pointer: string, normalisers: readonly Normaliser[] = []) {
    this.signature = JSON.stringify([pointer, ...normalisers]);
    this.#scanner = scanner;
    this.#slot = scanner.slotOf(pointer);
    this.slot = normalisers.length === 0 ? this.#slot : undefined;
    this.#normalisers = normalisers;
  }

  put(message: Message, batch: Batch, i: number, view: DataView): Unidentified {
    const scanner = this.#scanner;
    const at = scanner.at(i, this.#slot);
    const from = scanner.starts[at];
    const to = scanner.ends[at];
    switch (scanner.found[at]) {
      case Found.text:
        if (from === to) return Unidentified.blank;
        if (
          this.#normalisers.length === 0 &&
          view.getUint8(from) > 0x20 &&
          message.asciiText(view, from, to)
        ) {
          return Unidentified.no;
        }
        return this.#putText(message, textAt(batch.bytes, from, to, false));
      case Found.escapedText:
        return this.#putText(message, textAt(batch.bytes, from, to, true));
      case Found.number:
        message.numberIn(view, from, to);
        return Unidentified.no;
      case Found.missing:
        return Unidentified.missing;
      case Found.null:
        return Unidentified.null;
      default:
        return Unidentified.type;
    }
  }

  putTyped(message: Message, value: TypedId): void {
    if (typeof value === 'string') message.text(normalise(value, this.#normalisers));
    else if (typeof value === 'bigint') message.number(String(value));
    else message.bytes(value);
  }

  #putText(message: Message, found: string): Unidentified {
    const text = normalise(found, this.#normalisers);
    if (text.trim() === '') return Unidentified.blank;
    message.text(text);
    return Unidentified.no;
  }
}

/** Bytes as they came, whatever they mean. */
export class BytesPart implements Part {
  readonly signature: string;
  readonly #bytesOf: (batch: Batch, i: number) => Uint8Array | undefined;

  constructor(signature: string, bytesOf: (batch: Batch, i: number) => Uint8Array | undefined) {
    this.signature = signature;
    this.#bytesOf = bytesOf;
  }

  put(message: Message, batch: Batch, i: number): Unidentified {
    const bytes = this.#bytesOf(batch, i);
    if (bytes === undefined) return Unidentified.missing;
    if (bytes.every(isBlank)) return Unidentified.blank;
    message.bytes(bytes);
    return Unidentified.no;
  }

  putTyped(message: Message, value: TypedId): void {
    message.bytes(value instanceof Uint8Array ? value : Buffer.from(String(value)));
  }
}

/** The payload as it came; a blank one is one, too. */
export class LinePart implements Part {
  readonly signature = 'line';

  put(message: Message, batch: Batch, i: number, view: DataView): Unidentified {
    message.bytesIn(view, batch.starts[i], batch.ends[i]);
    return Unidentified.no;
  }

  putTyped(message: Message, value: TypedId): void {
    message.bytes(value instanceof Uint8Array ? value : Buffer.from(String(value)));
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
