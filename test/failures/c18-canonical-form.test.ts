import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../src/core/identity/canonical.ts';
import { contentIdentity } from '../../src/core/identity/json-identity.ts';
import { fingerprintsOf, space } from '../core/identity/batch.ts';

const form = (text: string, include?: string[], exclude?: string[]) =>
  canonicalJson(text, { ...(include && { include }), ...(exclude && { exclude }) });

test('the form is the specified one', () => {
  assert.equal(
    form(
      ' { "b" : [ 2 , 1.0, 1e2, -0 ] , "a\\u0062" : "\\u0061\\/\\ud800é\\n" , "B" : { } , "": [ ] , "n" : null, "é": true, "\\ud83d": false } ',
    ),
    '{"":[],"B":{},"ab":"a/\\ud800é\\n","b":[2,1.0,1e2,-0],"n":null,"é":true,"\\ud83d":false}',
  );
  assert.equal(form('"a"'), '"a"');
  assert.equal(form(' 12345678901234567890 '), '12345678901234567890');
});

const same: [string, string, string][] = [
  [
    'the order of keys, at every depth',
    '{"a":{"x":1,"y":[{"p":1,"q":2}]},"b":2}',
    '{"b":2,"a":{"y":[{"q":2,"p":1}],"x":1}}',
  ],
  ['spacing', '{"a":[1,2]}', '\t{ "a" :\r\n[ 1 , 2 ] } '],
  ['an escape', '{"a":"a/é"}', '{"\\u0061":"\\u0061\\/\\u00e9"}'],
  ['an earlier repetition of a key', '{"a":1,"a":2}', '{"a":2}'],
  ['where a repeated key stands', '{"a":1,"b":1,"a":2}', '{"b":1,"a":2}'],
];
for (const [what, one, other] of same)
  test(`${what} does not matter`, () => assert.equal(form(one), form(other)));

const different: [string, string, string][] = [
  ['the order of an array', '[1,2]', '[2,1]'],
  ['which key has which value', '{"src":"A","dst":"B"}', '{"src":"B","dst":"A"}'],
  ['whether a number is a text', '1', '"1"'],
  ['how a number is written', '1', '1.0'],
  ['the last digit of a large number', '9007199254740993', '9007199254740992'],
  ['a null member', '{"a":null}', '{}'],
  ['an empty array', '{"a":[]}', '{"a":{}}'],
  ['a text that looks like more', '{"a":"1,\\"b\\":2"}', '{"a":"1","b":2}'],
  ['the nesting', '[[1],2]', '[[1,2]]'],
  ['__proto__', '{"__proto__":1}', '{}'],
];
for (const [what, one, other] of different)
  test(`${what} matters`, () => assert.notEqual(form(one), form(other)));

test('100,000 levels need no stack', () => {
  const deep = 100_000;
  const text = '{"a":['.repeat(deep) + ']}'.repeat(deep);
  assert.equal(form(text), text);
  assert.equal(form(text, undefined, ['/a/0/a/0/b']), text);
});

test('a million elements are not too many', () => {
  const text = `[${'0,'.repeat(1_000_000)}0]`;
  assert.equal(form(text), text);
});

test('excluded values are as if they were not there', () => {
  assert.equal(
    form('{"a":{"t":1,"u":2},"t":3,"l":[1,2,3]}', undefined, ['/a/t', '/l/1', '/x/y', '/l/9', '/a/u/z']),
    '{"a":{"u":2},"l":[1,3],"t":3}',
  );
  assert.equal(form('{"a":1}', undefined, ['']), undefined);
});

test('included values are those at the pointers, whatever their order in the configuration', () => {
  const text = '{"x":1,"y":{"z":[2]},"n":3}';
  assert.equal(form(text, ['/y/z', '/x']), '{"/x":1,"/y/z":[2]}');
  assert.equal(form(text, ['/x', '/y/z', '/missing']), form(text, ['/missing', '/y/z', '/x']));
  assert.notEqual(form('{"x":1}', ['/x', '/y']), form('{"y":1}', ['/x', '/y']));
  assert.equal(form(text, ['/y'], ['/y/z/0']), '{"/y":{"z":[]}}');
  assert.equal(form(text, ['/none']), undefined);
  const settings = [{ include: ['/x', '/y'] }, { include: ['/y', '/x'] }].map((selection) =>
    contentIdentity({ ...space, ...selection }),
  );
  assert.equal(settings[0].signature, settings[1].signature);
});

test('a form says what JSON.parse says, and is its own form', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const canonical = form(text)!;
      assert.deepEqual(JSON.parse(canonical), JSON.parse(text));
      assert.equal(form(canonical), canonical);
      assert.equal(form(JSON.stringify(JSON.parse(text), null, 2)), form(JSON.stringify(JSON.parse(text))));
    }),
  );
});

test('one content is one event, however it is spelled', async () => {
  const identity = contentIdentity({ ...space, exclude: ['/sent_at'] });
  const keys = await fingerprintsOf(identity, [
    '{"a":1,"b":"x","sent_at":1}',
    '{ "b":"\\u0078", "sent_at":2, "a":1 }',
    '{"a":"1","b":"x"}',
    '{"a":1,"b":"x"}',
  ]);
  assert.equal(keys[0], keys[1]);
  assert.equal(keys[0], keys[3]);
  assert.notEqual(keys[0], keys[2]);
});
