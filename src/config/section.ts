import * as z from 'zod';
import { oneOf, units, type Quantity } from './values.ts';

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;
type NameOf<K, V> = K extends string
  ? Exclude<V, undefined> extends Quantity<infer Unit>
    ? `${Camel<K>}${Unit}`
    : Camel<K>
  : never;
type ValueOf<V> = V extends Quantity<string> ? number : V;

/** Settings as code knows them: `disk_max`, a size, is `diskMaxBytes`; what is not there has no key. */
export type Known<T> = { readonly [K in keyof T as NameOf<K, T[K]>]: ValueOf<Exclude<T[K], undefined>> };

/** Settings under one name. Written in snake_case; unknown ones are refused. */
export function section<const Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.entries(shape).map(([written, schema]) => ({
    written,
    known: knownName(written, schema),
  }));
  return z.codec(
    strict(shape, 'a section with settings'),
    z.custom<Known<z.output<z.ZodObject<Shape>>>>(isObject),
    {
      decode: (settings) =>
        renamed(
          settings,
          names.map(({ written, known }) => [written, known]),
        ) as Known<z.output<z.ZodObject<Shape>>>,
      encode: (settings) =>
        renamed(
          settings,
          names.map(({ written, known }) => [known, written]),
        ) as z.output<z.ZodObject<Shape>>,
    },
  );
}

/** One of several adapters: `file: { path: x }` is `{ type: 'file', path: x }`. */
export function oneAdapter<const Kinds extends Readonly<Record<string, z.ZodType>>>(kinds: Kinds) {
  type Chosen = { [K in keyof Kinds]: { readonly type: K } & z.output<Kinds[K]> }[keyof Kinds];
  const names = Object.keys(kinds);
  const shape = Object.fromEntries(names.map((name) => [name, kinds[name].optional()]));
  const must = names.length > 1 ? `one of ${oneOf(names)}, and only one` : `a section with ${names[0]}`;
  const one = strict(shape, must)
    .check(({ value, issues }) => {
      const chosen = Object.keys(value).length;
      if (chosen === 1 || issues.length > 0) return;
      const code = chosen > 1 ? 'HPX-C006' : 'HPX-C014';
      issues.push({ code: 'custom', input: value, message: must, params: { code } });
    })
    .meta({ minProperties: 1, maxProperties: 1 });
  return z.codec(one, z.custom<Chosen>(isObject), {
    decode: (settings) => {
      const [type] = Object.keys(settings);
      return { type, ...(settings[type] as object) } as Chosen;
    },
    encode: ({ type, ...settings }) => ({ [type]: settings }),
  });
}

/** The message about an unknown name holds the names that are known. */
function strict<Shape extends z.ZodRawShape>(shape: Shape, must: string) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(', ') : must),
  });
}

function knownName(written: string, schema: unknown): string {
  const camel = written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return camel + (unitOf(schema as z.ZodType) ?? '');
}

/** Also of what is optional or has a default. */
function unitOf(schema: z.ZodType): string | undefined {
  const found = units.get(schema);
  if (found) return found.unit;
  const inner = (schema.def as { innerType?: z.ZodType }).innerType;
  return inner && unitOf(inner);
}

function renamed(settings: object, names: readonly (readonly [from: string, to: string])[]): object {
  const entries = new Map(Object.entries(settings));
  return Object.fromEntries(
    names
      .filter(([from]) => entries.get(from) !== undefined)
      .map(([from, to]) => [to, entries.get(from) as unknown]),
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
