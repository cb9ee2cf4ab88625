import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HapaxError } from '../core/errors.ts';
import type { Identity } from '../core/identity.ts';
import { cloudEventsIdentity } from '../core/identity/cloud-events-identity.ts';
import { customIdentity, type CustomIdentitySettings } from '../core/identity/custom-identity.ts';
import { contentIdentity, jsonIdentity, presets } from '../core/identity/json-identity.ts';
import { headerIdentity, lineIdentity } from '../core/identity/transport-identity.ts';
import type { Settings } from './schema.ts';

/** `replay`: events of a replay of this name have keys of their own. */
export interface IdentityOptions {
  readonly secret: Uint8Array;
  /** Where the path of a module counts from. */
  readonly folder: string;
  readonly replay?: string | undefined;
}

export async function identityOf(
  settings: Settings,
  { secret, folder, replay }: IdentityOptions,
): Promise<Identity> {
  const { pipeline, identity, policies } = settings;
  const { id = '', content, module, scope, bodyCheck, eventTime } = identity;
  const common = {
    pipeline,
    secret,
    scope,
    unidentified: policies.unidentified,
    ...(replay !== undefined && { replay }),
    ...(bodyCheck && { bodyCheck }),
  };
  if (module !== undefined)
    return customIdentity({ ...common, name: module, idsOf: await functionOf(resolve(folder, module)) });
  if (content) return contentIdentity({ ...common, ...content });
  if (id === 'line') return lineIdentity(common);
  if (id === 'cloudevents') return cloudEventsIdentity(common);
  if (id.startsWith('header:')) return headerIdentity({ ...common, header: id.slice('header:'.length) });
  const pointer = id === 'segment' || id === 'snowplow' ? presets[id] : id;
  return jsonIdentity({ ...common, id: pointer, eventTime });
}

async function functionOf(path: string): Promise<CustomIdentitySettings['idsOf']> {
  const found = (await import(pathToFileURL(path).href).catch((error: unknown) => {
    throw HapaxError.because('HPX-C019', path, error);
  })) as { default?: unknown };
  if (typeof found.default !== 'function')
    throw new HapaxError('HPX-C019', `${path}: its default export is no function`);
  return found.default as CustomIdentitySettings['idsOf'];
}
