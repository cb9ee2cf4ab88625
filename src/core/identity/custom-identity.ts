import type { Batch } from '../event.ts';
import { Unidentified, type Identity, type TypedId } from '../identity.ts';
import { KeyedIdentity, type KeySettings } from './keyed-identity.ts';
import type { Message } from './message.ts';
import type { Part } from './part.ts';

/** An id as a function finds it; nothing = unidentified. Several values are the parts of one: scope first, id last. */
export type CustomId = CustomValue | readonly CustomValue[];
export type CustomValue = TypedId | number | null | undefined;

export interface CustomIdentitySettings extends KeySettings {
  /** Names the function in the signature: change it when the function finds other ids than before. */
  readonly name: string;
  /** One element for each delivery of the batch. */
  readonly idsOf: (batch: Batch) => readonly CustomId[] | Promise<readonly CustomId[]>;
}

/** The ids come from a function, for what a pointer cannot reach (Avro, Protobuf, …). */
export function customIdentity(settings: CustomIdentitySettings): Identity {
  const part = new CustomPart(settings.name);
  const keyed = new KeyedIdentity(settings, [{ scope: [], id: part }]);
  return {
    signature: keyed.signature,
    keySpace: keyed.keySpace,
    async identify(batch) {
      const ids = await settings.idsOf(batch);
      if (ids.length !== batch.count) {
        throw new RangeError(
          `${settings.name} gave ${String(ids.length)} ids for ${String(batch.count)} deliveries`,
        );
      }
      part.ids = ids;
      return keyed.identify(batch);
    },
    fingerprintOf(id, scope = []) {
      part.ids = [[...scope, id]];
      return keyed.identify(oneDelivery).fingerprints;
    },
  };
}

const oneDelivery: Batch = {
  partition: '',
  count: 1,
  bytes: new Uint8Array(0),
  starts: new Uint32Array(1),
  ends: new Uint32Array(1),
  positions: new Float64Array(1),
  next: 1,
};

class CustomPart implements Part {
  readonly signature: string;
  ids: readonly CustomId[] = [];

  constructor(name: string) {
    this.signature = `custom ${name}`;
  }

  put(message: Message, _batch: Batch, i: number): Unidentified {
    const id = this.ids[i];
    const values = isList(id) ? id : [id];
    const reasons = values.map((value) => put(message, value));
    return (
      (reasons.at(-1) ?? Unidentified.missing) ||
      (reasons.some((reason) => reason) ? Unidentified.scope : Unidentified.no)
    );
  }

  putTyped(message: Message, value: TypedId): void {
    put(message, value);
  }
}

function isList(id: CustomId): id is readonly CustomValue[] {
  return Array.isArray(id);
}

function put(message: Message, value: CustomValue): Unidentified {
  if (value === undefined) return Unidentified.missing;
  if (value === null) return Unidentified.null;
  if (typeof value === 'string') {
    if (value.trim() === '') return Unidentified.blank;
    message.text(value);
  } else if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) {
    message.number(String(value));
  } else if (value instanceof Uint8Array) {
    if (value.length === 0) return Unidentified.blank;
    message.bytes(value);
  } else return Unidentified.type;
  return Unidentified.no;
}
