import type { Identity } from '../identity.ts';
import type { Selection } from './canonical.ts';
import { ContentPart } from './content.ts';
import { JsonScanner } from './json-scan.ts';
import { KeyedIdentity, type KeySettings } from './keyed-identity.ts';
import type { Normaliser } from './normalise.ts';
import { JsonPart } from './part.ts';
import { pointersOf, scopeParts, type Scope } from './scope.ts';

export interface JsonIdentitySettings extends KeySettings {
  /** JSON Pointer to the id: a text that is not blank, or a number. */
  readonly id: string;
  readonly scope?: Scope | undefined;
  /** JSON Pointer to the event's own time: RFC 3339, or a number of ms since 1970. */
  readonly eventTime?: string | undefined;
  /** What is done to a text id, in this order, before it is compared; nothing, unless asked for. */
  readonly normalise?: readonly Normaliser[] | undefined;
}

/** The id is a value in the JSON of the payload. Of all identities only this one can read the event's own time. */
export function jsonIdentity(settings: JsonIdentitySettings): Identity {
  const { id, scope = [], eventTime, normalise } = settings;
  const scanner = new JsonScanner([
    id,
    ...pointersOf(scope),
    ...(eventTime === undefined ? [] : [eventTime]),
  ]);
  return new KeyedIdentity(settings, [
    {
      scanner,
      scope: scopeParts(scope, scanner),
      id: new JsonPart(scanner, id, normalise),
      timeSlot: eventTime === undefined ? undefined : scanner.slotOf(eventTime),
    },
  ]);
}

/** Pointers to the id where widespread producers put it. */
export const presets = {
  /** Segment and RudderStack */
  segment: '/messageId',
  snowplow: '/event_id',
} as const;

export interface ContentIdentitySettings extends KeySettings, Selection {
  readonly scope?: Scope | undefined;
}

/** Events with the same content, as canonical JSON has it, are the same event. */
export function contentIdentity(settings: ContentIdentitySettings): Identity {
  const { scope = [], include, exclude } = settings;
  const scanner = new JsonScanner(pointersOf(scope));
  const id = new ContentPart({ ...(include && { include }), ...(exclude && { exclude }) });
  return new KeyedIdentity(settings, [{ scanner, scope: scopeParts(scope, scanner), id }]);
}
