import type { Identity } from '../../core/identity.ts';
import { jsonIdentity, presets } from '../../core/identity/json-identity.ts';
import { lineIdentity } from '../../core/identity/transport-identity.ts';
import type { DedupOptions } from '../commands/dedup.ts';

export function identityFor(options: DedupOptions, secret: Uint8Array): Identity {
  const { id, scope, eventTime, bodyCheck, bodyExclude, unidentified } = options;
  const settings = {
    pipeline: 'dedup',
    secret,
    bodyCheck: bodyCheck ? { exclude: bodyExclude } : undefined,
    unidentified,
    eventTime,
  };
  if (options.lines || id === 'line') return lineIdentity(settings);
  if (id === 'cloudevents') return jsonIdentity({ ...settings, id: '/id', scope: ['/source', ...scope] });
  const pointer = id === 'segment' || id === 'snowplow' ? presets[id] : id;
  return jsonIdentity({ ...settings, id: pointer, scope });
}
