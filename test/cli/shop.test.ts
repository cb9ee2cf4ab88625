import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hapax } from './hapax.ts';

const shop = fileURLToPath(new URL('../../../examples/shop/', import.meta.url));
const events = join(shop, 'events.ndjson');

const ages = /duplicate +12 +under 10 s: 2, under 1 min: 1, under 10 min: 9/;

describe('the example shop', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'hapax-shop-'))));
  after(() => rm(folder, { recursive: true }));

  test('its script makes the stream that is here', async () => {
    const stream = await readFile(events, 'utf8');
    execFileSync(process.execPath, [join(shop, 'make.mjs')]);
    assert.equal(await readFile(events, 'utf8'), stream);
  });

  test('a worker tells how old the duplicates are by the time of the events', async () => {
    const config = join(shop, 'hapax.yaml');
    const { code, err } = await hapax(['run', config, '--quiet', '--summary', 'text'], '', {
      SHOP_OUT: folder,
    });
    assert.equal(code, 0, err);
    assert.match(err, ages);
    assert.match(err, /first +75\n/);
  });

  test('retries, a redelivered block, missing ids and a conflict are told apart; the cart shows one addition', async () => {
    const to = (name: string) => join(folder, `${name}.ndjson`);
    const outputs = [
      '--output',
      to('first'),
      '--duplicates',
      to('duplicates'),
      '--dead-letter',
      to('dead-letters'),
    ];
    const { code, err } = await hapax(['dedup', events, '--body-check', '--event-time', '/time', ...outputs]);
    assert.equal(code, 0, err);
    assert.match(err, /91 events received/);
    assert.match(err, ages);
    assert.match(err, /conflict +1\n/);
    assert.match(err, /unidentified +3 +missing: 2, null: 1/);

    const report = execFileSync(process.execPath, [join(shop, 'report.mjs'), events, folder], {
      encoding: 'utf8',
    });
    assert.match(report, /3 in the cart without dedup, 1 with it/);
    const cart = execFileSync(
      process.execPath,
      [join(shop, 'cart.mjs'), join(folder, 'first.ndjson'), 'cart-505'],
      { encoding: 'utf8' },
    );
    assert.match(cart, /: 1 }/);
  });
});
