import { stringify } from 'yaml';
import type { Path } from './document.ts';
import type { Configuration } from './load.ts';
import { schema } from './schema.ts';
import { escape } from './substitute.ts';

/** All settings with their defaults as a configuration; what came from outside stands there as it was written. */
export function print({ settings, secrets }: Pick<Configuration, 'settings' | 'secrets'>): string {
  const hidden = new Map(secrets.map(({ path, written }) => [JSON.stringify(path), written]));
  const written = (value: unknown, path: Path): unknown => {
    const secret = hidden.get(JSON.stringify(path));
    if (secret !== undefined) return secret;
    if (typeof value === 'string') return escape(value);
    if (Array.isArray(value)) return value.map((item, k) => written(item, [...path, k]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, it]) => [name, written(it, [...path, name])]),
    );
  };
  return stringify(written(schema.encode(settings), []), { lineWidth: 0 });
}
