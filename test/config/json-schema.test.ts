import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { jsonSchema } from '../../src/config/json-schema.ts';
import { schema } from '../../src/config/schema.ts';
import { rowsOf, rowsOn, type Node } from './settings-table.ts';

const root = jsonSchema() as Node & { readonly $schema?: string };

test('the JSON Schema is one for editors: every section is closed, every setting is described', () => {
  assert.equal(root.$schema, 'http://json-schema.org/draft-07/schema#');
  assert.deepEqual(root.required, ['pipeline', 'source', 'store', 'sink']);
  const walk = (node: Node, path: string): void => {
    if (node.properties) assert.equal(node.additionalProperties, false, path);
    for (const [name, inner] of Object.entries(node.properties ?? {})) {
      assert.ok((inner.description ?? '').length > 10, `${path}.${name} has no description`);
      walk(inner, `${path}.${name}`);
    }
    node.anyOf?.forEach((branch) => {
      walk(branch, path);
    });
  };
  walk(root, '');
  assert.deepEqual(JSON.parse(JSON.stringify(root)), root, 'it is plain JSON');
});

test('it takes variables wherever there is a value', () => {
  const takesText = (node: Node & { enum?: unknown; pattern?: string }): boolean =>
    node.anyOf?.some(takesText) ??
    (node.type === 'string' && (node.pattern === undefined || new RegExp(node.pattern).test('${NAME}')));
  const walk = (node: Node, path: string): void => {
    if (node.title !== undefined) assert.ok(takesText(node), path);
    for (const [name, inner] of Object.entries(node.properties ?? {})) walk(inner, `${path}.${name}`);
    if (node.items) walk(node.items, `${path}[]`);
    if (node.title === undefined) node.anyOf?.forEach((branch) => walk(branch, path));
  };
  walk(root, '');
});

test('the defaults that it names are those that settings get', () => {
  const given = {
    pipeline: 'a',
    source: { file: { path: ['b'] } },
    store: { memory: {} },
    sink: { stdout: {} },
  };
  const effective = schema.encode(schema.decode(given)) as unknown as Record<string, Record<string, unknown>>;
  for (const [section, settings] of Object.entries(effective))
    for (const [name, value] of Object.entries(settings)) {
      const standard = root.properties?.[section].properties?.[name]?.default;
      if (standard !== undefined) assert.deepEqual(value, standard, `${section}.${name}`);
    }
});

test('the reference page has every setting as the schema has it, and no others', () => {
  const page = readFileSync('docs/reference/configuration.md', 'utf8');
  assert.deepEqual(rowsOn(page).sort(bySetting), rowsOf(root).sort(bySetting));
});

function bySetting([a]: readonly string[], [b]: readonly string[]): number {
  return a < b ? -1 : 1;
}

test('the check of the page can fail', () => {
  assert.deepEqual(rowsOn('| `a.b_c` | `x`, `y` | required | it \\| that |\n| setting | value |\n'), [
    ['`a.b_c`', '`x`, `y`', 'required', 'it \\| that'],
  ]);
});
