import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, describe } from 'node:test';
import { namedIds as idsOfConfiguration } from '../../src/config/values.ts';
import { namedIds } from '../../src/cli/commands/dedup.ts';
import { hapax } from './hapax.ts';

const folder = mkdtempSync(join(tmpdir(), 'hapax-config-'));
after(() => {
  rmSync(folder, { recursive: true, force: true });
});
const file = join(folder, 'hapax.yaml');
writeFileSync(
  file,
  `pipeline: shop
source: { file: { path: "*.log" } }
store: { file: { path: "\${STATE}" } }
sink: { stdout: {} }
policies: { unidentified: stop }
`,
);

describe('hapax config print', () => {
  test('prints the settings on standard output and remarks on standard error; secrets nowhere', async () => {
    const { code, out, err } = await hapax(['config', 'print', file], '', { STATE: 'hunter2' });
    assert.equal(code, 0, err);
    assert.match(out.toString(), /^pipeline: shop\n[^]*path: \$\{STATE\}\n[^]*unidentified: stop\n/);
    assert.match(err, /^\S+hapax.yaml note: there is one key space for all/);
    assert.ok(!(out.toString() + err).includes('hunter2'));
  });

  test('ends with 78 when there is a mistake, and prints no settings', async () => {
    const { code, out, err } = await hapax(['config', 'print', file]);
    assert.equal(code, 78);
    assert.equal(out.toString(), '');
    assert.match(err, /hapax.yaml:3:25 error HPX-C013: \$\{STATE\} is not set/);
  });

  test('needs a file, and tells about one that is not there', async () => {
    assert.equal((await hapax(['config', 'print'])).code, 2);
    const { code, err } = await hapax(['config', 'print', join(folder, 'none.yaml')]);
    assert.equal(code, 78);
    assert.match(err, /none.yaml error HPX-C011: it does not exist/);
  });
});

test('hapax config schema prints JSON', async () => {
  const { code, out } = await hapax(['config', 'schema']);
  assert.equal(code, 0);
  const { properties } = JSON.parse(out.toString()) as { properties: object };
  assert.ok('pipeline' in properties);
});

test('hapax config alone and with a wrong word is wrong usage; each command has help with examples', async () => {
  assert.equal((await hapax(['config'])).code, 2);
  const wrong = await hapax(['config', 'prnit']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /Did you mean print\?/);
  for (const args of [['config'], ['config', 'print'], ['config', 'schema']]) {
    const { code, out } = await hapax([...args, '--help']);
    assert.equal(code, 0);
    assert.match(out.toString(), /^Examples:\n {2}\$ hapax config/);
  }
});

test('identities have the same names in a configuration as on the command line', () => {
  assert.deepEqual(idsOfConfiguration, namedIds);
});
