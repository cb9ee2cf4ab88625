import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SuiteOf } from '../../src/testing/suite.ts';

interface Broken<Bench> {
  readonly name: string;
  readonly bench: Bench;
  readonly fails: readonly string[];
}

/** Each broken one fails exactly the checks that it says, and each check is failed by some broken one. */
export function testBroken<Support, Bench extends { readonly supports: Support }>(
  suite: SuiteOf<Bench, Support>,
  broken: readonly Broken<Bench>[],
): void {
  const checks = Object.entries(suite).flatMap(([theme, all]) =>
    all.map((check) => ({ ...check, title: `${theme}: ${check.name}` })),
  );

  for (const { name, bench, fails } of broken) {
    test(`what ${name} fails`, async () => {
      const failed = new Map<string, unknown>();
      for (const { title, needs, run } of checks) {
        if (needs !== undefined && !bench.supports[needs]) continue;
        await run(bench).catch((error: unknown) => failed.set(title, error));
      }
      const faults = [...failed].map(([title, error]) => `${title}: ${String(error)}`);
      assert.deepEqual([...failed.keys()].sort(), [...fails].sort(), faults.join('\n'));
    });
  }

  test('each check is failed by some broken one', () => {
    const bitten = new Set(broken.flatMap(({ fails }) => fails));
    assert.deepEqual(
      checks.map(({ title }) => title).filter((title) => !bitten.has(title)),
      [],
    );
  });
}
