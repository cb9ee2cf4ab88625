import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenStores } from '../../src/testing/broken-stores.ts';
import { storeSuite } from '../../src/testing/store-suite/store-suite.ts';

const checks = Object.entries(storeSuite).flatMap(([theme, all]) =>
  all.map(({ name, run }) => ({ theme, title: `${theme}: ${name}`, run })),
);

/** What some broken store has failed so far. */
const bitten = new Set<string>();

for (const { name, make, failsCheck, themes } of brokenStores) {
  test(`a store that ${name} fails`, async () => {
    const failed: { theme: string; title: string; error: unknown }[] = [];
    for (const { theme, title, run } of checks) {
      await run(make).catch((error: unknown) => failed.push({ theme, title, error }));
    }
    for (const { theme, title, error } of failed) {
      assert.ok(themes.includes(theme), `"${title}" fails too: ${String(error)}`);
    }
    const titles = failed.map(({ title }) => title);
    for (const title of titles) bitten.add(title);
    assert.ok(titles.includes(failsCheck), `"${failsCheck}" passes, of these: ${titles.join(', ')}`);
    for (const theme of themes)
      assert.ok(
        failed.some((fault) => fault.theme === theme),
        `${theme} passes`,
      );
  });
}

test('each check is failed by some broken store', () => {
  assert.deepEqual(
    checks.map(({ title }) => title).filter((title) => !bitten.has(title)),
    [],
  );
});
