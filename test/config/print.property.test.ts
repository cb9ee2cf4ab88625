import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { parse } from '../../src/config/parse.ts';
import { print } from '../../src/config/print.ts';
import { schema, type Settings } from '../../src/config/schema.ts';
import { stringify } from 'yaml';
import { escape } from '../../src/config/substitute.ts';

const textOf = fc
  .oneof(
    fc.string({ minLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom('true', '5', 'null', '~', '- a', '${A}', '$${A}', 'a: b', '#', '\u0085', '\u2028'),
  )
  .filter((text) => !text.includes('\0'));
const pointer = textOf.map((text) => `/${text.replaceAll('~', '~0')}`);
const duration = fc.integer({ min: 1, max: 9_999_999_999 }).map((ms) => `${ms}ms`);
const size = fc
  .tuple(fc.integer({ min: 1, max: 9_000 }), fc.constantFrom('B', 'kB', 'MiB', 'TB'))
  .map((it) => it.join(''));
const count = fc.integer({ min: 1, max: 1_000_000 });
const some = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] });

const written = fc.record(
  {
    pipeline: fc.stringMatching(/^[a-z][a-z.-]{0,9}$/),
    source: fc.record({
      file: fc.record(
        {
          path: fc.oneof(textOf, fc.array(textOf, { minLength: 1 })),
          follow: fc.boolean(),
          lines: fc.boolean(),
          line_size_max: size,
        },
        { requiredKeys: ['path'] },
      ),
    }),
    identity: some({
      id: fc.oneof(pointer, fc.constantFrom('line', 'cloudevents', 'header:a')),
      content: some({ include: fc.array(pointer), exclude: fc.array(pointer) }),
      module: textOf,
      scope: fc.array(pointer),
      body_check: fc.oneof(fc.boolean(), some({ exclude: fc.array(pointer) })),
      event_time: pointer,
    }),
    window: duration,
    expected_rate: fc.tuple(count, fc.constantFrom('s', 'm', 'h', 'd')).map((it) => it.join('/')),
    store: fc.oneof(
      fc.record({ memory: some({ marks_max: count, when_full: fc.constantFrom('wait', 'shrink') }) }),
      fc.record({ file: fc.record({ path: textOf, disk_max: size }, { requiredKeys: ['path'] }) }),
    ),
    sink: fc.oneof(fc.constant({ stdout: {} }), fc.record({ file: fc.record({ path: textOf }) })),
    dead_letter: fc.record({ file: fc.record({ path: textOf, keep: duration }, { requiredKeys: ['path'] }) }),
    policies: some({
      unidentified: fc.constantFrom('dead-letter', 'pass', 'fingerprint', 'stop'),
      held_max: duration,
      sink: fc.oneof(fc.constant('wait'), fc.record({ dead_letter_after: duration })),
      observe: fc.boolean(),
    }),
    limits: some({ drain: duration, ahead_max: count }),
    log: some({ level: fc.constantFrom('error', 'debug') }),
  },
  { requiredKeys: ['pipeline', 'source', 'store', 'sink'] },
);

function read(
  text: string,
  variables: Record<string, string>,
): { settings: Settings; secrets: ReturnType<typeof parse>['secrets'] } {
  const document = parse(text, { variables, secret: () => assert.fail() });
  assert.deepEqual(document.problems, []);
  return { settings: schema.decode(document.value as never), secrets: document.secrets };
}

test('what is printed is read as the same settings', () => {
  fc.assert(
    fc.property(written, (value) => {
      const first = read(stringify(escaped(value)), {});
      assert.deepEqual(read(print(first), {}).settings, first.settings);
    }),
  );
});

test('whichever values come from outside, none of them is printed, and the settings are the same', () => {
  fc.assert(
    fc.property(written, fc.infiniteStream(fc.boolean()), (value, chance) => {
      const variables: Record<string, string> = {};
      const hidden = mapped(value, (scalar) => {
        if (!chance.next().value) return typeof scalar === 'string' ? escape(scalar) : scalar;
        const name = `V${Object.keys(variables).length}`;
        variables[name] = String(scalar);
        return `\${${name}}`;
      });
      const given = read(stringify(hidden), variables);
      const printed = print(given);
      assert.deepEqual(read(printed, variables).settings, given.settings);
      for (const name of Object.keys(variables))
        assert.equal(printed.split(`\${${name}}`).length, 2, `${name} in\n${printed}`);
    }),
  );
});

function escaped(value: unknown): unknown {
  return mapped(value, (scalar) => (typeof scalar === 'string' ? escape(scalar) : scalar));
}

function mapped(value: unknown, change: (scalar: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, mapped(it, change)]));
}
