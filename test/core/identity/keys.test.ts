import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { customIdentity } from '../../../src/core/identity/custom-identity.ts';
import { jsonIdentity, presets } from '../../../src/core/identity/json-identity.ts';
import { lineIdentity } from '../../../src/core/identity/transport-identity.ts';
import { batchOf, fingerprintsOf, hex, keysOf, space } from './batch.ts';

const byId = jsonIdentity({ ...space, id: '/id' });
const event = (id: unknown) => JSON.stringify({ id });

test('a fingerprint has 112 bits and the upper half of its last word is 0', async () => {
  const { fingerprints } = await keysOf(
    byId,
    Array.from({ length: 64 }, (_, i) => event(`e${i}`)),
  );
  let seen = 0;
  for (let i = 0; i < 64; i++) {
    assert.equal(fingerprints[i * 4 + 3] >>> 16, 0);
    seen |= fingerprints[i * 4 + 3];
  }
  assert.equal(seen, 0xffff);
});

// Worked out by another implementation of the key format.
test('the key of an id stays the same for ever', async () => {
  assert.deepEqual(
    await fingerprintsOf(jsonIdentity({ ...space, id: '/id', scope: ['/t'] }), [
      '{"t":"acme","id":"e1"}',
      '{"t":1,"id":"\u00e9"}',
      '{"t":"acme","id":12345678901234567890}',
    ]),
    [
      '5950b81f2dc666c0b553836e0000493b',
      '37320a6be66600a543f0bf380000cc8e',
      '21e2924ade311ae1244c20270000012b',
    ],
  );
});

test('different ids have different keys, equal ids equal ones', async () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 40 }), fc.integer());
  await fc.assert(
    fc.asyncProperty(value, value, async (a, b) => {
      const [one, other] = await fingerprintsOf(
        customIdentity({
          ...space,
          name: 'f',
          idsOf: () => [`x${String(a)}`, typeof b === 'string' ? `x${b}` : b],
        }),
        ['', ''],
      );
      assert.equal(one === other, String(a) === b);
    }),
  );
});

test('no two lists of parts have the same key', async () => {
  const part = fc.oneof(
    fc.string({ maxLength: 9 }).map((text) => `t${text}`),
    fc.string({ unit: 'binary', maxLength: 5 }).map((text) => `t${text}`),
    fc.bigInt({ min: 0n, max: 1n << 70n }),
    fc.uint8Array({ minLength: 1, maxLength: 9 }),
  );
  const spelled = (parts: readonly unknown[]) =>
    parts
      .map((p) =>
        p instanceof Uint8Array
          ? `bytes ${p.join()}`
          : `${typeof p} ${encodeURIComponent(JSON.stringify(String(p)))}`,
      )
      .join(';');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 20 }),
      async (lists) => {
        const keys = await fingerprintsOf(
          customIdentity({ ...space, name: 'f', idsOf: () => lists }),
          lists.map(() => ''),
        );
        assert.equal(new Set(keys).size, new Set(lists.map(spelled)).size);
      },
    ),
  );
});

test('parts are framed: ("a:b","c") is not ("a","b:c")', async () => {
  const scoped = jsonIdentity({ ...space, id: '/id', scope: ['/s'] });
  const texts = [
    ['a:b', 'c'],
    ['a', 'b:c'],
    ['a:', 'bc'],
    ['abcd', 'efgh'],
    ['abc', 'defgh'],
    ['c', 'a:b'],
    [1, '1'],
    ['1', 1],
    [1, 1],
    ['1', '1'],
  ];
  const keys = await fingerprintsOf(
    scoped,
    texts.map(([s, id]) => JSON.stringify({ s, id })),
  );
  assert.equal(new Set(keys).size, texts.length);
});

test('a number is not the text of its digits, and every digit counts', async () => {
  const ids = [
    '1',
    '"1"',
    '1.0',
    '1e0',
    '10',
    '9007199254740993',
    '9007199254740992',
    '18446744073709551615',
    '"\\u0031\\u0030"',
  ];
  const keys = await fingerprintsOf(
    byId,
    ids.map((id) => `{"id":${id}}`),
  );
  assert.equal(new Set(keys).size, ids.length);
});

test('an escape and what it stands for are the same id', async () => {
  const same = ['"aé/b"', '"\\u0061\\u00e9\\/b"', '"a\\u00E9/b"'];
  assert.equal(
    new Set(
      await fingerprintsOf(
        byId,
        same.map((id) => `{"id":${id}}`),
      ),
    ).size,
    1,
  );
  const ascii = ['"ab"', '"\\u0061b"'];
  assert.equal(
    new Set(
      await fingerprintsOf(
        byId,
        ascii.map((id) => `{"id":${id}}`),
      ),
    ).size,
    1,
  );
});

test('lone surrogates, NUL and what is often their replacement are different ids', async () => {
  const ids = [
    '\\ud800',
    '\\ud801',
    '\\udc00',
    '\\ufffd',
    '\\u0000',
    '\\u0000\\u0000',
    '?',
    '\\ud83d\\ude00',
    '\\ufeffa',
    'a',
    'a\\u0000',
    'ä',
    'a\\u0308',
  ];
  const keys = await fingerprintsOf(
    byId,
    ids.map((id) => `{"id":"${id}"}`),
  );
  assert.equal(new Set(keys).size, ids.length);
});

test('an id of any length is taken, each byte of it counts', async () => {
  const lengths = [1, 3, 4, 5, 15, 16, 17, 31, 36, 63, 64, 65, 200, 255, 1_000, 70_000];
  const ids = lengths.flatMap((n) => ['a'.repeat(n), `${'a'.repeat(n - 1)}b`, 'é'.repeat(n)]);
  const keys = await fingerprintsOf(byId, ids.map(event));
  assert.equal(new Set(keys).size, ids.length);
});

test('names of properties of objects are ordinary ids, and ordinary pointers', async () => {
  const ids = ['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', 'true'];
  const { reasons, fingerprints } = await keysOf(byId, ids.map(event));
  assert.deepEqual(
    [...reasons],
    ids.map(() => 0),
  );
  assert.equal(new Set(ids.map((_, i) => hex(fingerprints, i))).size, ids.length);
  const byProto = jsonIdentity({ ...space, id: '/__proto__' });
  assert.deepEqual([...(await keysOf(byProto, ['{}', '{"__proto__":"x"}'])).reasons], [2, 0]);
});

test('pipeline, replay and secret make key spaces of their own', async () => {
  const spaces = [
    space,
    { ...space, pipeline: 'ordersx' },
    { ...space, replay: 'r1' },
    { ...space, replay: '' },
    { ...space, secret: new Uint8Array(32).fill(8) },
  ];
  const keys = await Promise.all(
    spaces.map((each) => fingerprintsOf(jsonIdentity({ ...each, id: '/id' }), [event('e')])),
  );
  assert.equal(new Set(keys.flat()).size, spaces.length);
  assert.throws(() => jsonIdentity({ ...space, secret: new Uint8Array(31), id: '/id' }), {
    code: 'HPX-C009',
  });
});

test('a typed id has the key of the found one', async () => {
  const scoped = jsonIdentity({ ...space, id: '/id', scope: ['/t'], normalise: ['lower'] });
  const found = await fingerprintsOf(scoped, [
    '{"t":"a","id":"E1"}',
    '{"t":7,"id":123456789012345678901}',
    '{"t":"a","id":"\\ud800"}',
  ]);
  assert.deepEqual(
    [
      scoped.fingerprintOf('e1', ['a']),
      scoped.fingerprintOf(123456789012345678901n, [7n]),
      scoped.fingerprintOf('\ud800', ['a']),
    ].map((key) => hex(key)),
    found,
  );
  assert.throws(() => scoped.fingerprintOf('e1'), { code: 'HPX-C010' });
  const line = lineIdentity(space);
  assert.equal(hex(line.fingerprintOf('é')), (await fingerprintsOf(line, ['é']))[0]);
});

test('what a batch holds beside a delivery does not change its key', async () => {
  const alone = await fingerprintsOf(byId, [event('abc')]);
  const among = await fingerprintsOf(byId, [
    event('0'.repeat(500)),
    event('é'),
    '{bad',
    event('abc'),
    event(5),
  ]);
  assert.equal(among[3], alone[0]);
});

// Found keys are mostly made by the scanner, typed ones are not.
test('a key does not depend on where it is made', async () => {
  const text = fc.oneof(
    fc.string({ maxLength: 70 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('x'.repeat(511), 'x'.repeat(512), 'x'.repeat(513), `${'x'.repeat(40)}\u0080`, '\u007f'),
  );
  const part = fc.oneof(
    text.filter((value) => value.trim() !== ''),
    fc.bigInt({ min: -(1n << 70n), max: 1n << 70n }),
  );
  for (const scope of [[], ['/s'], ['/s', '/t'], ['/s', '/s', '/t']]) {
    const scoped = jsonIdentity({ ...space, id: '/id', scope });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: part, s: part, t: part }), { minLength: 1, maxLength: 9 }),
        async (all) => {
          const json = (value: string | bigint) =>
            typeof value === 'string' ? JSON.stringify(value) : String(value);
          const found = await fingerprintsOf(
            scoped,
            all.map(({ id, s, t }) => `{"s":${json(s)}, "id" : ${json(id)},"t":${json(t)}}`),
          );
          assert.deepEqual(
            all.map((values) =>
              hex(
                scoped.fingerprintOf(
                  values.id,
                  scope.map((pointer) => values[pointer.slice(1) as 's' | 't']),
                ),
              ),
            ),
            found,
          );
        },
      ),
    );
  }
});

test('normalisers work in their order, and only when asked for', async () => {
  const upper = '{"id":" 0198F3A1-7C2E-7ABC-9DEF-0123456789AB"}';
  const lower = '{"id":"0198f3a17c2e7abc9def0123456789ab"}';
  assert.equal(new Set(await fingerprintsOf(byId, [upper, lower])).size, 2);
  const uuid = jsonIdentity({ ...space, id: '/id', normalise: ['trim', 'uuid'] });
  assert.equal(new Set(await fingerprintsOf(uuid, [upper, lower])).size, 1);
  const nfc = jsonIdentity({ ...space, id: '/id', normalise: ['nfc'] });
  assert.equal(new Set(await fingerprintsOf(nfc, ['{"id":"é"}', '{"id":"e\\u0301"}'])).size, 1);
  assert.equal(new Set(await fingerprintsOf(byId, ['{"id":"é"}', '{"id":"e\\u0301"}'])).size, 2);
});

test('a stand-in tells partition, position and bytes apart', async () => {
  const bad = '{bad';
  const standIns = [
    batchOf([bad], 'p', 0),
    batchOf([bad], 'p', 1),
    batchOf([bad], 'p', 2 ** 40 + 1),
    batchOf([bad], 'q', 0),
    batchOf(['{bae'], 'p', 0),
  ].map(async (batch) => hex((await byId.identify(batch)).fingerprints));
  assert.equal(new Set(await Promise.all(standIns)).size, 5);
  assert.equal(hex((await byId.identify(batchOf([bad], 'p', 1))).fingerprints), await standIns[1]);
});

test('the body check is over the canonical body without what may change', async () => {
  const checked = jsonIdentity({ ...space, id: '/id', bodyCheck: { exclude: ['/sent_at', '/meta/try'] } });
  const { bodies, standIns } = await keysOf(checked, [
    '{"id":1,"a":[1,2],"sent_at":1,"meta":{"try":1}}',
    '{"meta":{"try":2},"a" : [1,2], "sent_at":2, "\\u0069d":1}',
    '{"id":1,"a":[2,1],"sent_at":1,"meta":{"try":1}}',
    'not json',
    'not json ',
  ]);
  const sums = Array.from({ length: 5 }, (_, i) => [...(bodies ?? []).slice(i * 2, i * 2 + 2)].join());
  assert.equal(sums[0], sums[1]);
  assert.equal(new Set(sums).size, 4);
  assert.equal(standIns?.length, 20);
});

test('event time is RFC 3339 or ms since 1970, and NaN where it cannot be read', async () => {
  const timed = jsonIdentity({ ...space, id: '/id', eventTime: '/at' });
  const cases: [string, number][] = [
    ['"2026-01-31T12:00:00Z"', Date.UTC(2026, 0, 31, 12)],
    ['"2026-01-31T12:00:00.1239+01:30"', Date.UTC(2026, 0, 31, 10, 30, 0, 123)],
    ['"2024-02-29t23:59:60z"', Date.UTC(2024, 2, 1)],
    ['"1969-12-31 23:59:59.5-00:01"', 59_500],
    ['"\\u0032026-01-31T12:00:00Z"', Date.UTC(2026, 0, 31, 12)],
    ['"0000-03-01T00:00:00Z"', Date.parse('0000-03-01T00:00:00Z')],
    ['1769860800000', 1_769_860_800_000],
    ['1e400', NaN],
    ['"2023-02-29T00:00:00Z"', NaN],
    ['"2026-01-31T12:00:00"', NaN],
    ['"2026-01-31T12:00:00.Z"', NaN],
    ['"2026-01-31T24:00:00Z"', NaN],
    ['"2026-01-31T12:00:00+24:00"', NaN],
    ['"2026-01-31T12:00:00Z "', NaN],
    ['"yesterday"', NaN],
    ['null', NaN],
    ['{}', NaN],
  ];
  const { times } = await keysOf(
    timed,
    cases.map(([at]) => `{"id":1,"at":${at}}`),
  );
  assert.deepEqual(
    [...(times ?? [])],
    cases.map(([, ms]) => ms),
  );
  assert.ok(Number.isNaN((await keysOf(timed, ['{"at":1']))?.times?.[0]));
  assert.equal((await keysOf(byId, ['{"id":1}'])).times, undefined);
});

test('RFC 3339 agrees with Date wherever Date can read it', async () => {
  const timed = jsonIdentity({ ...space, id: '/id', eventTime: '/at' });
  await fc.assert(
    fc.asyncProperty(
      fc.date({
        min: new Date('0000-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      }),
      async (date) => {
        const { times } = await keysOf(timed, [JSON.stringify({ id: 1, at: date })]);
        assert.equal(times?.[0], date.getTime());
      },
    ),
  );
});

test('presets are where the producers put their ids', async () => {
  const segment = jsonIdentity({ ...space, id: presets.segment });
  assert.deepEqual([...(await keysOf(segment, ['{"messageId":"m"}', '{}'])).reasons], [0, 2]);
  assert.equal(presets.snowplow, '/event_id');
});

test('what the source found unfit stays so, even where content would be an identity', async () => {
  const flaws = Uint8Array.of(0, 8);
  for (const unidentified of ['dead-letter', 'fingerprint'] as const) {
    const identity = jsonIdentity({ ...space, id: '/id', unidentified });
    assert.deepEqual(
      [...(await identity.identify({ ...batchOf([event('a'), event('a')]), flaws })).reasons],
      [0, 8],
    );
  }
});
