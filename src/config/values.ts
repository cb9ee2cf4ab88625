import * as z from 'zod';
import type { ErrorCode } from '../core/errors.ts';
import { parsePointer } from '../core/identity/json-pointer.ts';
import { formatDuration, parseDuration } from '../core/window.ts';
import { formatRate, formatSize, parseRate, parseSize, ratePattern, sizePattern } from './quantities.ts';

/** A number whose unit stands in the name of its setting. */
export type Quantity<Unit extends string> = number & { readonly unit: Unit };
export const units = z.registry<{ readonly unit: string }>();

/** What stands in the file; a value from a variable or a secret is always a text. */
type Written = string | number | boolean;

interface Kind<T> {
  /** In one word, for the reference. */
  readonly title: string;
  /** What the value must be, for people: `window must be …`. */
  readonly must: string;
  /** Where another one than HPX-C015 fits better. */
  readonly code?: ErrorCode;
  readonly choices?: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
  /** Nothing = it is not of this kind. */
  readonly read: (written: unknown) => T | undefined;
  readonly write?: (value: T) => Written;
}

function scalar<T extends Written>(value: z.ZodType<T, T>, kind: Kind<T>) {
  const { title, must: message, code = 'HPX-C015', choices = [], json, read } = kind;
  return z.codec(z.custom<Written>().meta({ title, ...json }), value, {
    decode(written, context) {
      const found = read(written);
      if (found !== undefined) return found;
      context.issues.push({ code: 'custom', input: written, message, params: { code, choices } });
      return z.NEVER;
    },
    encode: kind.write ?? ((it: T): Written => it),
  });
}

const substituted = { type: 'string', pattern: String.raw`\$\{` };
const orSubstituted = (json: object) => ({ anyOf: [json, substituted] });

export const flag = () =>
  scalar(z.boolean(), {
    title: 'true, false',
    must: 'true or false',
    json: orSubstituted({ type: 'boolean' }),
    read: (it) => [true, false].find((value) => it === value || it === String(value)),
  });

/** A whole number, at least 1. */
export const count = (most = Number.MAX_SAFE_INTEGER) =>
  scalar(z.number(), {
    title: 'number',
    must: `a whole number, at least 1${most < Number.MAX_SAFE_INTEGER ? ` and at most ${String(most)}` : ''}`,
    json: orSubstituted({ type: 'integer', minimum: 1, maximum: most }),
    read(it) {
      const number = typeof it === 'string' && /^\d+$/.test(it) ? Number(it) : it;
      const fits =
        typeof number === 'number' && Number.isSafeInteger(number) && number >= 1 && number <= most;
      return fits ? number : undefined;
    },
  });

export const choice = <const Word extends string>(words: readonly [Word, ...Word[]]) =>
  scalar(
    z.custom<Word>((it) => words.some((word) => word === it)),
    {
      title: words.join(', '),
      must: oneOf(words),
      code: 'HPX-C005',
      choices: words,
      json: orSubstituted({ enum: words }),
      read: (it) => words.find((word) => word === it),
    },
  );

export const duration = () =>
  quantity('Ms', {
    title: 'duration',
    must: 'a duration like 48h or 1h30m (ms s m h d w)',
    code: 'HPX-C001',
    json: { type: 'string', pattern: String.raw`^(\d+(\.\d+)?(ms|[smhdw]))+$|\$\{` },
    read: text((it) => parseDuration(it)),
    write: formatDuration,
  });

export const size = () =>
  quantity('Bytes', {
    title: 'size',
    must: 'a size like 2GiB or 500MB (B, KiB MiB GiB TiB, kB MB GB TB)',
    code: 'HPX-C016',
    json: { type: 'string', pattern: String.raw`${sizePattern}|\$\{` },
    read: text(parseSize),
    write: formatSize,
  });

export const rate = () =>
  quantity('PerSecond', {
    title: 'rate',
    must: 'a rate like 5000/s or 300/m (s m h d)',
    json: { type: 'string', pattern: String.raw`${ratePattern}|\$\{` },
    read: text(parseRate),
    write: formatRate,
  });

function quantity<Unit extends string>(unit: Unit, kind: Kind<number>) {
  const number = z.custom<Quantity<Unit>>((it) => typeof it === 'number');
  return scalar(number, kind as unknown as Kind<Quantity<Unit>>).register(units, { unit });
}

export const path = () =>
  scalar(z.string(), {
    title: 'path',
    must: 'a path',
    json: { type: 'string', minLength: 1 },
    read: text((it) => (it === '' || it.includes('\0') ? undefined : it)),
  });

export const pipelineName = () =>
  scalar(z.string(), {
    title: 'name',
    must: 'a name of letters, digits, ".", "_" and "-", at most 100',
    json: { type: 'string', pattern: String.raw`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$|\$\{` },
    read: text((it) => (/^[A-Za-z0-9][\w.-]{0,99}$/.test(it) ? it : undefined)),
  });

export const pointer = () =>
  scalar(z.string(), {
    title: 'pointer',
    must: 'a JSON Pointer like /event_id',
    code: 'HPX-C002',
    json: { type: 'string', pattern: String.raw`^/|\$\{` },
    read: text(readPointer),
  });

export const pointerOrHeader = () =>
  scalar(z.string(), {
    title: 'pointer or header',
    must: 'a JSON Pointer like /tenant, or header:NAME',
    code: 'HPX-C002',
    json: { type: 'string', pattern: String.raw`^/|^header:.|\$\{` },
    read: text(readPointerOrHeader),
  });

/** Identities that have a name. */
export const namedIds = ['line', 'cloudevents', 'segment', 'snowplow'] as const;

export const id = () =>
  scalar(z.string(), {
    title: 'id',
    must: `a JSON Pointer like /event_id, header:NAME, or one of ${namedIds.join(', ')}`,
    code: 'HPX-C002',
    choices: namedIds,
    json: { anyOf: [{ enum: namedIds }, { type: 'string', pattern: String.raw`^/|^header:.|\$\{` }] },
    read: text((it) => namedIds.find((name) => name === it) ?? readPointerOrHeader(it)),
  });

function readPointer(it: string): string | undefined {
  return it.startsWith('/') && parsePointer(it).length > 0 ? it : undefined;
}

function readPointerOrHeader(it: string): string | undefined {
  return /^header:./.test(it) ? it : readPointer(it);
}

/** What the parser refuses is not of the kind. */
function text<T>(parse: (it: string) => T | undefined): (written: unknown) => T | undefined {
  return (written) => {
    try {
      return typeof written === 'string' ? parse(written) : undefined;
    } catch {
      return undefined;
    }
  };
}

export function oneOf(words: readonly string[]): string {
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
