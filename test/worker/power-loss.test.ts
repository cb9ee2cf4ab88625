import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { seeded } from '../../src/core/chance.ts';
import { Platter, type Image } from '../sinks/committing-files/platter.ts';
import { audit } from './auditor.ts';
import { runPipeline } from './running.ts';
import { Site } from './site.ts';

const input = { events: 1_500, files: 8, distance: 60, seed: 1 };
const folders = ['state', 'out'] as const;
type Images = Readonly<Record<(typeof folders)[number], Image>>;
const imagesMax = 40;

/** Segments begin and end on the way. */
const manner = { batchMax: 40, msPerByte: 1_000 };
const settings = { window: '7h', store: '{ file: { path: state, disk_max: 64KiB } }' };

/** What the disk may have after each call, over two runs. */
async function losses(site: Site, seed: number): Promise<Images[]> {
  const chance = seeded(seed);
  const images: Images[] = [];
  for (const folder of folders) mkdirSync(site.path(folder), { recursive: true });
  const platter = await Platter.mount(() => {
    const [state, out] = folders.map((folder) => platter.lose(site.path(folder), chance));
    images.push({ state, out });
  });
  const stop = new AbortController();
  let commits = 0;
  const crashPoint = (point: string) => {
    if (point === 'commit.record-synced' && ++commits === 20) stop.abort();
  };
  try {
    await runPipeline(site.path('hapax.yaml'), { ...manner, seed }, { crashPoint, signal: stop.signal });
    await runPipeline(site.path('hapax.yaml'), { ...manner, seed: seed + 100 });
  } finally {
    platter.unmount();
  }
  return images;
}

function putBack(site: Site, images: Images): void {
  for (const folder of folders) {
    rmSync(site.path(folder), { recursive: true });
    mkdirSync(site.path(folder));
    for (const [name, bytes] of images[folder])
      if (!name.endsWith('.sock')) writeFileSync(join(site.path(folder), name), bytes);
  }
}

describe('a worker when the power goes', () => {
  for (const seed of [1, 2, 3])
    test(`at any moment: nothing is lost or repeated, and the books agree, with seed ${seed}`, async (t) => {
      const site = await Site.make(t, { settings, input });
      const images = await losses(site, seed);
      assert.deepEqual(audit(site.folder).findings, []);
      for (let n = 0; n < imagesMax; n++) {
        const k = Math.floor((images.length * (n + seed / 4)) / imagesMax);
        putBack(site, images[k]);
        await runPipeline(site.path('hapax.yaml'), { ...manner, batchMax: 300, seed: n });
        assert.deepEqual(audit(site.folder).findings, [], `after ${k} of ${images.length}`);
      }
    });
});
