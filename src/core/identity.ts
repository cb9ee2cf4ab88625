import type { Batch } from './event.ts';

/**
 * What makes two deliveries the same event: pipeline + scope + id, as a keyed fingerprint of at least 112 bits.
 * Keys are injective: parts are framed by length and type, so ("a:b","c") is not ("a","b:c") and 1 is not "1".
 * Only ids go in; no payload is kept.
 */
export interface Identity {
  /** Names the key format and every setting that goes into a key: with another one, no key of before is known. */
  readonly signature: string;
  /** Keys of different spaces are never the same: the pipeline, and the name of a replay. */
  readonly keySpace: string;
  identify(batch: Batch): Keys | Promise<Keys>;
  /** The fingerprint of an id that a person typed, for explain and forget: text, an integer, or bytes. */
  fingerprintOf(id: TypedId, scope?: readonly TypedId[]): Uint32Array;
}

export type TypedId = string | bigint | Uint8Array;

/** An element (a fingerprint: four words, a body: two words) for each delivery of the batch. */
export interface Keys {
  /** The key of what is identified; where `reasons` is not 0, the key by position and bytes. */
  readonly fingerprints: Uint32Array;
  /** `Unidentified` as a byte; 0 = identified. */
  readonly reasons: Uint8Array;
  /** Only with a body check. */
  readonly bodies?: Uint32Array;
  /** Only with a body check: each delivery's key by position and bytes. */
  readonly standIns?: Uint32Array;
  /** Only with event time: ms since 1970, NaN where it cannot be read. */
  readonly times?: Float64Array;
}

/** Why a delivery has no id, as a byte. Two such events are never duplicates of each other. */
export const Unidentified = {
  no: 0,
  /** not what the pointer can be looked up in */
  malformed: 1,
  missing: 2,
  null: 3,
  /** empty, or nothing but blanks */
  blank: 4,
  /** not a text or a number */
  type: 5,
  /** a part of the scope is not a text or a number, or blank */
  scope: 6,
  /** not UTF-8 */
  encoding: 7,
  /** too large to be held, so that its payload is cut and never goes on */
  tooLarge: 8,
  /** too large to be looked into, but whole */
  largeButWhole: 9,
} as const;
export type Unidentified = (typeof Unidentified)[keyof typeof Unidentified];

/** The names of `Unidentified`, by its byte. */
export const unidentifiedReasons = [
  '',
  'malformed',
  'missing',
  'null',
  'blank',
  'type',
  'scope',
  'encoding',
  'too_large',
  'too_large',
] as const;
export type UnidentifiedReason = Exclude<(typeof unidentifiedReasons)[number], ''>;
