import type { Identity } from '../identity.ts';
import { JsonScanner } from './json-scan.ts';
import { KeyedIdentity, type KeySettings } from './keyed-identity.ts';
import { BytesPart, LinePart, type Part } from './part.ts';
import { headerPart, pointersOf, scopeParts, type Scope } from './scope.ts';

export interface TransportIdentitySettings extends KeySettings {
  readonly scope?: Scope | undefined;
}

/** The id is the value of a header, as bytes; of repeated headers the last one counts. */
export function headerIdentity(settings: TransportIdentitySettings & { readonly header: string }): Identity {
  return transportIdentity(settings, headerPart(settings.header));
}

/** The id is the message key, as bytes. */
export function messageKeyIdentity(settings: TransportIdentitySettings): Identity {
  return transportIdentity(settings, new BytesPart('message key', (batch, i) => batch.messageKeyOf?.(i)));
}

/** The id is the payload itself, as bytes. */
export function lineIdentity(settings: TransportIdentitySettings): Identity {
  return transportIdentity(settings, new LinePart());
}

function transportIdentity(settings: TransportIdentitySettings, id: Part): Identity {
  const { scope = [] } = settings;
  const pointers = pointersOf(scope);
  const scanner = pointers.length > 0 ? new JsonScanner(pointers) : undefined;
  return new KeyedIdentity(settings, [{ scanner, scope: scopeParts(scope, scanner), id }]);
}
