import { isUtf8 } from 'node:buffer';
import { payloadOf, type Batch } from '../event.ts';
import { Unidentified, type TypedId } from '../identity.ts';
import { canonicalJson, type Selection } from './canonical.ts';
import { JsonScanner } from './json-scan.ts';
import type { Message } from './message.ts';
import type { Part } from './part.ts';

/** The content of a payload: its canonical JSON, or where it is no JSON its bytes. */
export class Content {
  readonly #selection: Selection;
  readonly #scanner = new JsonScanner([]);

  constructor(selection: Selection) {
    this.#selection = selection;
  }

  put(message: Message, batch: Batch, i: number): void {
    if (this.putJson(message, batch, i) !== Unidentified.no) message.bytes(payloadOf(batch, i));
  }

  /** Only JSON; with pointers to include, only where one of them finds something. */
  putJson(message: Message, batch: Batch, i: number): Unidentified {
    const payload = payloadOf(batch, i);
    if (!isUtf8(payload)) return Unidentified.encoding;
    if (!this.#scanner.scan(batch.bytes, batch.starts[i], batch.ends[i])) return Unidentified.malformed;
    const canonical = canonicalJson(Buffer.from(payload).toString(), this.#selection);
    if (canonical === undefined) return Unidentified.missing;
    message.content(canonical);
    return Unidentified.no;
  }
}

/** The content as identity. */
export class ContentPart implements Part {
  readonly signature: string;
  readonly #selection: Selection;
  readonly #content: Content;

  constructor(selection: Selection) {
    this.signature = `content ${JSON.stringify([selection.include?.toSorted() ?? null, selection.exclude?.toSorted() ?? []])}`;
    this.#selection = selection;
    this.#content = new Content(selection);
  }

  put(message: Message, batch: Batch, i: number): Unidentified {
    return this.#content.putJson(message, batch, i);
  }

  /** A document. */
  putTyped(message: Message, value: TypedId): void {
    message.content(canonicalJson(String(value), this.#selection) ?? '');
  }
}
