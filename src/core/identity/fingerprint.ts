import { createHmac } from 'node:crypto';
import { HapaxError } from '../errors.ts';
import { payloadOf, type Batch } from '../event.ts';
import { Chaskey } from './chaskey.ts';
import { Message } from './message.ts';

/** Goes into every key: another way to frame, hash or read ids is another version. */
export const keyVersion = 1;

export interface KeySpace {
  /** 32 bytes that outsiders do not know; who knows them can make keys that collide. */
  readonly secret: Uint8Array;
  readonly pipeline: string;
  /** A replay under a name of its own has keys of its own. */
  readonly replay?: string | undefined;
}

export function nameOf({ pipeline, replay }: KeySpace): string {
  return replay === undefined ? pipeline : JSON.stringify([pipeline, replay]);
}

/** Keys for ids, stand-ins and bodies are independent of each other, and so are those of any two key spaces. */
export function macFor({ secret, pipeline, replay }: KeySpace, purpose: 'id' | 'stand-in' | 'body'): Chaskey {
  if (secret.length !== 32)
    throw new HapaxError('HPX-C009', `it must have 32 bytes, not ${String(secret.length)}`);
  const derived = createHmac('sha256', secret)
    .update(JSON.stringify(['hapax', keyVersion, purpose, pipeline, replay ?? null]))
    .digest();
  return new Chaskey([0, 4, 8, 12].map((at) => derived.readInt32LE(at)));
}

/** Keys by partition, position and bytes, for what has no id or stands beside it. */
export class StandIns {
  readonly #mac: Chaskey;
  readonly #message = new Message();

  constructor(space: KeySpace) {
    this.#mac = macFor(space, 'stand-in');
  }

  fingerprint(batch: Batch, i: number, out: Uint32Array, at: number): void {
    const message = this.#message;
    message.clear();
    message.text(batch.partition);
    message.position(batch.positions[i]);
    message.bytes(payloadOf(batch, i));
    message.fingerprint(this.#mac, out, at);
  }
}
