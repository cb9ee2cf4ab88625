import { isUtf8 } from 'node:buffer';
import type { Batch } from '../event.ts';
import { Unidentified, type Identity, type TypedId } from '../identity.ts';
import { headerOf } from './header.ts';
import { JsonScanner } from './json-scan.ts';
import { KeyedIdentity, type KeySettings } from './keyed-identity.ts';
import type { Message } from './message.ts';
import { JsonPart, type Part } from './part.ts';

/** Kafka and AMQP, HTTP, and AMQP again. */
const prefixes = ['ce_', 'ce-', 'cloudEvents:', 'cloudEvents_'];
const structured = 0;
const binary = 1;

/**
 * The id of a CloudEvent is its `source` and `id`, which stand in the headers (binary mode) or in the JSON of the
 * payload (structured mode). The same event has the same key in both.
 */
export function cloudEventsIdentity(settings: KeySettings): Identity {
  const scanner = new JsonScanner(['/source', '/id']);
  return new KeyedIdentity(
    settings,
    [
      { scanner, scope: [new JsonPart(scanner, '/source')], id: new JsonPart(scanner, '/id') },
      { scope: [new AttributePart('source')], id: new AttributePart('id') },
    ],
    (batch, i) => (attributeOf(batch, i, 'id') || attributeOf(batch, i, 'source') ? binary : structured),
  );
}

interface Attribute {
  readonly prefix: string;
  readonly value: Uint8Array;
}

function attributeOf(batch: Batch, i: number, name: string): Attribute | undefined {
  for (const prefix of prefixes) {
    const value = headerOf(batch, i, prefix + name);
    if (value) return { prefix, value };
  }
  return undefined;
}

class AttributePart implements Part {
  readonly signature: string;
  readonly #name: string;

  constructor(name: string) {
    this.signature = `attribute ${name}`;
    this.#name = name;
  }

  put(message: Message, batch: Batch, i: number): Unidentified {
    const attribute = attributeOf(batch, i, this.#name);
    if (!attribute) return Unidentified.missing;
    if (!isUtf8(attribute.value)) return Unidentified.encoding;
    const raw = Buffer.from(attribute.value).toString();
    const text = attribute.prefix === 'ce-' ? percentDecoded(raw) : raw;
    if (text.trim() === '') return Unidentified.blank;
    message.text(text);
    return Unidentified.no;
  }

  putTyped(message: Message, value: TypedId): void {
    if (value instanceof Uint8Array) message.bytes(value);
    else message.text(String(value));
  }
}

/** HTTP headers cannot hold all texts; what is not well encoded is taken as it is. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
