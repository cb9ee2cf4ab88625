import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { parse } from '../../src/config/parse.ts';
import { Desk, withSections } from './workshop.ts';

const desk = new Desk();

describe('what is not one YAML document is refused at its place', () => {
  const cases: readonly (readonly [name: string, text: string, ...told: string[]])[] = [
    ['a tab that indents', 'a:\n\tb: c\n', '2:1 error HPX-C012: a tab cannot indent', 'use spaces'],
    ['a second document', 'a: b\n---\nc: d\n', '2:1 error HPX-C012: a second document begins here'],
    [
      'a name that is there twice',
      'window: 1h\nwindow: 2h\n',
      '2:1 error HPX-C012: "window" is there twice',
      '^^^^^^',
    ],
    ['a bracket that is not closed', 'a: [b\n', 'error HPX-C012: flow sequence'],
    [
      'an alias',
      'pipeline: &a b\nwindow: *a\n',
      '2:9 error HPX-C012: an alias is not possible here',
      '^^ write the value out',
    ],
    ['a tag of its own', 'a: !b c\n', '1:4 error HPX-C012: unresolved tag: !b'],
    ['a name that is a list', '? [a]\n: b\n', '1:3 error HPX-C012: a name must be a plain text'],
    [
      'a variable without quotes in braces',
      'log: { level: ${LEVEL} }\n',
      'error HPX-C012:',
      'written with quotes: "${NAME}"',
    ],
    [
      'something that is nested without end',
      '['.repeat(20_000),
      '1:',
      'error HPX-C012: it is nested too deeply',
    ],
  ];
  for (const [name, text, ...parts] of cases)
    test(name, async () => {
      const told = await desk.told(text);
      for (const part of parts) assert.ok(told.includes(part), `${part}\nis not in\n${told}`);
    });

  test('of one line only the first mistake is told, since others follow from it', async () => {
    const heads = await desk.heads('log: { level: ${A}, b: ${C} }\n');
    assert.equal(heads.length, 1, heads.join('\n'));
  });
});

describe('values from outside', () => {
  const variables = {
    WINDOW: '7d',
    COUNT: '5',
    ON: 'true',
    EMPTY: '',
    NAME: 'shop',
    EVIL: 'pass\n  observe: true # ${NAME}',
  };

  test('a variable, a default and a secret are put in, also inside a text', async () => {
    mkdirSync(join(desk.folder, 'secrets'));
    writeFileSync(join(desk.folder, 'secrets/path'), 'from-secret.ndjson\n');
    const { settings } = await desk.configuration(
      withSections(`pipeline: \${NAME}-\${NONE:-test}
window: \${WINDOW}
sink: { file: { path: "\${file:secrets/path}" } }
duplicates: { file: { path: "\${EMPTY:-copies}.ndjson" } }
`),
      variables,
    );
    assert.equal(settings.pipeline, 'shop-test');
    assert.equal(settings.windowMs, 604_800_000);
    assert.deepEqual(settings.sink, { type: 'file', path: 'from-secret.ndjson' });
    assert.deepEqual(settings.duplicates, { type: 'file', path: 'copies.ndjson' });
  });

  test('their text becomes a number or true where the setting is one', async () => {
    const { settings } = await desk.configuration(
      withSections('limits: { ahead_max: "${COUNT}" }\npolicies: { observe: "${ON}" }\n'),
      variables,
    );
    assert.equal(settings.limits.aheadMax, 5);
    assert.equal(settings.policies.observe, true);
  });

  test('they cannot bring structure: what looks like YAML or like a variable is one text', () => {
    const values = [
      'a: b',
      '\nb: c',
      '[x, y]',
      '{ a: 1 }',
      '- a',
      '*alias',
      '!!tag',
      '"',
      "'",
      '#',
      '${NAME}',
      'null',
      '5',
      'true',
    ];
    for (const value of [...values, variables.EVIL]) {
      const { value: found, problems } = parse('a: ${X}\nb: ["${X}", \'${X}\']\nc: |\n  ${X}\n', {
        variables: { X: value },
        secret: () => '',
      });
      assert.deepEqual(found, { a: value, b: [value, value], c: `${value}\n` });
      assert.deepEqual(problems, []);
    }
  });

  test('such a text is refused where it is not what the setting must be', async () => {
    const heads = await desk.heads(withSections('policies:\n  conflict: ${EVIL}\n'), variables);
    assert.deepEqual(heads, [
      'hapax.yaml:8:13 error HPX-C005: policies.conflict must be dead-letter, pass or drop, not the value of ${EVIL}',
    ]);
  });

  test('names are never put in', async () => {
    assert.match(await desk.told(withSections('"${NAME}": 5\n'), variables), /unknown setting "\$\{NAME\}"/);
  });

  test('$${ is a plain ${', () => {
    const { value } = parse('a: $${NAME}\nb: $$${NAME} ${NAME}', { variables, secret: () => '' });
    assert.deepEqual(value, { a: '${NAME}', b: '$${NAME} shop' });
  });

  test('what is missing is told where it stands, once', async () => {
    const text = withSections(
      'window: a${NONE}b${COUNT}\nlog: { level: "${1}" }\npolicies: { observe: "${NAME" }\nexpected_rate: ${file:none}\n',
    );
    const [window, level, ids, rate, ...others] = await desk.heads(text, variables);
    assert.equal(
      window,
      'hapax.yaml:7:10 error HPX-C013: ${NONE} is not set, and has no default; write ${NONE:-default} to give one',
    );
    assert.match(level, /:8:16 error HPX-C013: \$\{1\} is neither/);
    assert.match(ids, /:9:23 error HPX-C013: \$\{NAME is neither/);
    assert.match(rate, /:10:16 error HPX-C013: \$\{file:none\} cannot be read: ENOENT/);
    assert.deepEqual(others, []);
  });

  test('only what was set is a variable', async () => {
    assert.match(
      await desk.told(withSections('window: ${constructor}\n')),
      /HPX-C013: \$\{constructor\} is not set/,
    );
  });

  test('an empty variable is a value', async () => {
    assert.match(
      await desk.told(withSections('window: ${EMPTY}\n'), variables),
      /window must be a duration.*not the value of \$\{EMPTY\}/,
    );
  });

  test('a secret that is too large or no text is refused', async () => {
    writeFileSync(join(desk.folder, 'large'), 'x'.repeat(65_537));
    writeFileSync(join(desk.folder, 'bytes'), Buffer.of(0xff));
    assert.match(await desk.told(withSections('window: ${file:large}\n')), /HPX-C013: .*larger than 64 KiB/);
    assert.match(await desk.told(withSections('window: ${file:bytes}\n')), /HPX-C013: .*not UTF-8/);
  });
});
