import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rename, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { FileSourceOptions } from '../../../src/sources/file/source.ts';
import { Follower } from './follower.ts';

/** Later ones have another start, as events do. */
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `{"id":${from + i}}\n`).join('');

describe('source file, followed', () => {
  let folder: string;
  let follower: Follower;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hapax-follow-'))));
  afterEach(async () => {
    await follower.stop();
    await rm(folder, { recursive: true });
  });

  const at = (name: string) => join(folder, name);
  const put = (name: string, content: string | Uint8Array) => writeFile(at(name), content);
  const follow = (options: FileSourceOptions = { globs: [`${folder}/*.ndjson*`] }) =>
    (follower = new Follower(options));

  describe('growth', () => {
    test('what is appended comes at the next look, and a file without news is not read again', async () => {
      await put('a.ndjson', lines(1, 3));
      follow();
      const first = ['assigned a.ndjson', 'a.ndjson 0 {"id":1}', 'a.ndjson 9 {"id":2}'];
      assert.deepEqual(await follower.news(), first);
      assert.deepEqual(await follower.later(), []);
      await appendFile(at('a.ndjson'), lines(3, 4));
      assert.deepEqual(await follower.later(), ['a.ndjson 18 {"id":3}']);
      assert.deepEqual(await follower.later(), []);
    });

    test('a last line is kept back until it is terminated, however it comes', async () => {
      await put('a.ndjson', '{"id":1}\n{"i');
      follow();
      assert.deepEqual(await follower.news(), ['assigned a.ndjson', 'a.ndjson 0 {"id":1}']);
      await appendFile(at('a.ndjson'), 'd":2');
      assert.deepEqual(await follower.later(), []);
      await appendFile(at('a.ndjson'), '}\n');
      assert.deepEqual(await follower.later(), ['a.ndjson 9 {"id":2}']);
    });

    test('files that come later are read in their turn; growing ones do not keep others waiting', async () => {
      await put('b.ndjson', lines(1, 2));
      follow();
      await follower.news();
      await put('a.ndjson', lines(2, 3));
      await put('c.ndjson', lines(3, 4));
      await appendFile(at('b.ndjson'), lines(4, 5));
      assert.deepEqual(await follower.later(), [
        'assigned a.ndjson c.ndjson',
        'a.ndjson 0 {"id":2}',
        'b.ndjson 9 {"id":4}',
        'c.ndjson 0 {"id":3}',
      ]);
    });

    test('nothing that matches, for now', async () => {
      follow();
      assert.deepEqual(await follower.news(), []);
      await put('a.ndjson', lines(1, 2));
      assert.deepEqual(await follower.later(), ['assigned a.ndjson', 'a.ndjson 0 {"id":1}']);
    });

    test('a compressed file is complete when it ends as one; a member that is appended comes too', async () => {
      const whole = gzipSync(lines(1, 3_000));
      await put('a.ndjson.gz', whole.subarray(0, 5_000));
      follow();
      const begun = await follower.news();
      assert.ok(begun.length > 100 && begun.length < 3_000, `${begun.length}`);
      await appendFile(at('a.ndjson.gz'), whole.subarray(5_000));
      const all = [...begun.slice(1), ...(await follower.later())];
      assert.equal(all.length, 2_999);
      assert.match(all[2_998], /\{"id":2999\}$/);
      await appendFile(at('a.ndjson.gz'), gzipSync('{"id":"last"}'));
      const [last, ...none] = await follower.later();
      assert.match(last, /\{"id":"last"\}$/);
      assert.deepEqual(none, []);
    });

    test('goes on after a restart where it stopped', async () => {
      await put('a.ndjson', lines(1, 3));
      follow();
      await follower.news();
      await follower.restart();
      await appendFile(at('a.ndjson'), lines(3, 4));
      assert.deepEqual(await follower.news(), ['assigned a.ndjson', 'a.ndjson 18 {"id":3}']);
    });
  });

  test('a file that was written anew is another one, also where it is read from its start again', async () => {
    await put('a.ndjson', lines(1, 3));
    follow();
    await follower.news();
    follower.checkpoints.clear();
    await put('a.ndjson', lines(7, 8));
    await follower.restart();
    const news = await follower.news();
    assert.ok(news.includes('a.ndjson@later 0 {"id":7}'), news.join('\n'));
    follower.checkpoints.clear();
    await follower.restart();
    assert.ok((await follower.news()).includes('a.ndjson@later 0 {"id":7}'), 'and as such it is known');
  });

  describe('a file that is another one', () => {
    const fresh = [
      'revoked a.ndjson',
      'retired a.ndjson',
      'assigned a.ndjson@later',
      'a.ndjson@later 0 {"id":7}',
    ];
    const changes: Record<string, [old: string, change: () => Promise<void>]> = {
      'was truncated and written anew': [lines(1, 4), () => put('a.ndjson', lines(7, 8))],
      'was written anew and is longer': [lines(1, 2), () => put('a.ndjson', lines(7, 8) + '\n'.repeat(99))],
      'was truncated, though it begins as before': [
        `${lines(7, 8)}\n${lines(8, 9)}`,
        () => truncate(at('a.ndjson'), lines(7, 8).length),
      ],
      'was put in its place': [
        lines(1, 4),
        async () => {
          await put('new', lines(7, 8));
          await rename(at('new'), at('a.ndjson'));
        },
      ],
    };
    for (const [name, [old, change]] of Object.entries(changes)) {
      test(`${name}: a partition of its own, read from its beginning`, async () => {
        await put('a.ndjson', old);
        follow();
        await follower.news();
        await change();
        assert.deepEqual((await follower.later()).sort(), fresh.toSorted());
        await appendFile(at('a.ndjson'), lines(8, 9));
        const [grown, ...none] = await follower.later();
        assert.match(grown, /^a.ndjson@later \d+ {"id":8}$/);
        assert.deepEqual(none, []);
      });

      test(`${name} while no process was there: so too, and it stays so`, async () => {
        await put('a.ndjson', old);
        follow();
        await follower.news();
        await follower.stop();
        await change();
        await follower.restart();
        const told = await follower.news();
        assert.deepEqual(
          told.filter((text) => fresh.includes(text)).sort(),
          fresh.filter((text) => told.includes(text)).sort(),
        );
        assert.ok(told.includes('retired a.ndjson') && told.at(-1) === fresh.at(-1), told.join());
        await follower.restart();
        await appendFile(at('a.ndjson'), lines(8, 9));
        assert.match((await follower.news()).at(-1) ?? '', /^a.ndjson@later \d+ {"id":8}$/);
      });
    }

    test('without known files that outlive the process, a size tells', async () => {
      await put('a.ndjson', lines(1, 4));
      follow({ paths: [at('a.ndjson')], knownFiles: undefined });
      await follower.news();
      await follower.restart();
      assert.deepEqual(await follower.news(), ['assigned a.ndjson']);
      await follower.stop();
      await put('a.ndjson', lines(7, 8));
      await follower.restart();
      assert.deepEqual((await follower.news()).sort(), [...fresh, 'assigned a.ndjson'].sort());
    });

    test('where what was known is lost, it is read once more from the beginning', async () => {
      await put('a.ndjson', lines(7, 8));
      follow();
      await follower.news();
      follower.knownFiles.clear();
      await follower.restart();
      assert.deepEqual((await follower.news()).sort(), [...fresh, 'assigned a.ndjson'].sort());
      await follower.restart();
      assert.deepEqual(await follower.news(), ['assigned a.ndjson@later']);
    });
  });

  describe('a file that has another name', () => {
    test('keeps its partition and position, and its old name is free for another file', async () => {
      await put('a.ndjson', lines(1, 3));
      follow();
      await follower.news();
      await appendFile(at('a.ndjson'), lines(3, 4));
      await rename(at('a.ndjson'), at('a.ndjson.1'));
      await put('a.ndjson', lines(7, 8));
      assert.deepEqual(await follower.later(), [
        'assigned a.ndjson@later',
        'a.ndjson@later 0 {"id":7}',
        'a.ndjson 18 {"id":3}',
      ]);
      await appendFile(at('a.ndjson'), lines(8, 9));
      await appendFile(at('a.ndjson.1'), lines(4, 5));
      await follower.restart();
      const told = await follower.news();
      assert.deepEqual(told.slice(1), ['a.ndjson@later 9 {"id":8}', 'a.ndjson 27 {"id":4}']);
    });

    test('also while no process was there', async () => {
      await put('a.ndjson', lines(1, 3));
      follow();
      await follower.news();
      await follower.stop();
      await appendFile(at('a.ndjson'), lines(3, 4));
      await rename(at('a.ndjson'), at('b.ndjson'));
      await follower.restart();
      assert.deepEqual(await follower.news(), ['assigned a.ndjson', 'a.ndjson 18 {"id":3}']);
    });

    test('a copy of a file that is still there is a partition of its own', async () => {
      await put('a.ndjson', lines(1, 2));
      follow();
      await follower.news();
      await put('b.ndjson', lines(1, 2));
      assert.deepEqual(await follower.later(), ['assigned b.ndjson', 'b.ndjson 0 {"id":1}']);
    });

    test('a copy that took the place of the original goes on', async () => {
      await put('a.ndjson', lines(1, 2));
      follow();
      await follower.news();
      await put('copy', lines(1, 3));
      await rename(at('copy'), at('a.ndjson'));
      assert.deepEqual(await follower.later(), ['a.ndjson 9 {"id":2}']);
    });
  });

  describe('a file that is gone', () => {
    test('is let go, retired when nothing of it is in hand, and goes on when it comes back', async () => {
      await put('a.ndjson', lines(1, 2));
      await put('b.ndjson', lines(2, 3));
      follow();
      await follower.news();
      await rename(at('a.ndjson'), at('aside'));
      assert.deepEqual([...(await follower.later()), ...(await follower.later())].sort(), [
        'retired a.ndjson',
        'revoked a.ndjson',
      ]);
      await appendFile(at('aside'), lines(3, 4));
      await rename(at('aside'), at('a.ndjson'));
      assert.deepEqual(await follower.later(), ['assigned a.ndjson', 'a.ndjson 9 {"id":3}']);
    });

    test('with something that nobody has read: that is told as a gap', async () => {
      await put('a.ndjson', `${lines(1, 2)}{"id":`);
      follow();
      await follower.news();
      await unlink(at('a.ndjson'));
      assert.deepEqual((await follower.later())[0], 'gap a.ndjson 9 15');
    });

    test('while no process was there is retired at the start', async () => {
      await put('a.ndjson', lines(1, 2));
      await put('b.ndjson', lines(2, 3));
      follow();
      await follower.news();
      await follower.stop();
      await unlink(at('a.ndjson'));
      await follower.restart();
      assert.deepEqual(await follower.news(), ['retired a.ndjson', 'assigned b.ndjson']);
    });
  });
});
