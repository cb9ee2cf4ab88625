import { bodies } from './broken-stores/bodies.ts';
import { claims } from './broken-stores/claims.ts';
import { elements } from './broken-stores/elements.ts';
import type { BrokenStore } from './broken-stores/meddled.ts';
import { settlesAndReleases } from './broken-stores/settles-and-releases.ts';
import { tails } from './broken-stores/tails.ts';
import { windowsAndLeases } from './broken-stores/windows-and-leases.ts';

/** At least one store for each promise, which breaks it. Whoever changes the suite sees here whether it still bites. */
export const brokenStores: readonly BrokenStore[] = [
  ...claims,
  ...elements,
  ...bodies,
  ...settlesAndReleases,
  ...tails,
  ...windowsAndLeases,
];
