import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { hapax, shell } from './hapax.ts';

interface Truth {
  readonly line: number;
  readonly cause: string;
  readonly bug?: string;
}

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hapax-generate-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').slice(0, -1);
}

describe('hapax generate', () => {
  test('makes traffic of which dedup keeps what the truth says', async (t) => {
    const cwd = await folder(t);
    const made = await shell(
      'hapax generate --events 5000 --duplicates 50% --bugs 0% --output in --truth truth && hapax dedup in --output out --quiet',
      cwd,
    );
    assert.equal(made.code, 0, made.err);
    assert.match(made.err, /^5,000 deliveries of 2,500 actions, 50\.0 % copies$/m);
    const lines = await linesOf(join(cwd, 'in'));
    const truth = (await linesOf(join(cwd, 'truth'))).map((line) => JSON.parse(line) as Truth);
    assert.deepEqual(
      truth.map(({ line }) => line),
      lines.map((_, k) => k + 1),
    );
    const firsts = lines.filter((_, k) => truth[k].cause === 'first');
    assert.deepEqual(await linesOf(join(cwd, 'out')), firsts);
  });

  test('makes the same bytes for the same options', async () => {
    const make = (seed: string) => hapax(['generate', '--events', '300', '--seed', seed, '--quiet']);
    const [one, same, other] = await Promise.all([make('3'), make('3'), make('4')]);
    assert.deepEqual(one.out, same.out);
    assert.notDeepEqual(one.out, other.out);
    assert.equal(one.err, '');
  });

  test('ends without a word when its reader has gone', async (t) => {
    const ran = await shell('hapax generate --events 100000 | head -1', await folder(t));
    assert.equal(ran.code, 0);
    assert.equal(ran.err, '');
  });

  for (const [option, value] of [
    ['--duplicates', '0.1'],
    ['--duplicates', '100%'],
    ['--events', '0'],
    ['--rate', '50'],
    ['--start', 'yesterday'],
  ])
    test(`refuses ${option} ${value}`, async () => {
      const ran = await hapax(['generate', option, value]);
      assert.equal(ran.code, 2);
      assert.match(ran.err, /^error HPX-C00\d: /);
    });
});
