import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { listFiles, type Wanted } from '../../../src/sources/file/listing.ts';

describe('a list of files', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hapax-listing-'));
    await mkdir(join(folder, 'b.ndjson'));
    for (const name of ['c.ndjson', 'a.ndjson', '.hidden.ndjson', 'b.ndjson/d.ndjson', '[a].ndjson', 'e.txt'])
      await writeFile(join(folder, name), name);
    await symlink('e.txt', join(folder, 'link.ndjson'));
  });
  after(() => rm(folder, { recursive: true }));

  const names = async (wanted: Partial<Wanted>, ifGone: 'refuse' | 'leave out' = 'refuse') =>
    (await listFiles({ paths: [], globs: [], ...wanted }, ifGone)).map(({ path }) => path);
  const at = (...paths: string[]) => paths.map((path) => join(folder, path));

  test('what matches, by path: files and links to files, none that are hidden, no folders', async () => {
    const found = at('[a].ndjson', 'a.ndjson', 'c.ndjson', 'link.ndjson');
    assert.deepEqual(await names({ globs: at('*.ndjson') }), found);
    const deep = [...found.slice(0, 2), ...at('b.ndjson/d.ndjson'), ...found.slice(2)];
    assert.deepEqual(await names({ globs: at('**/*.ndjson') }), deep);
  });

  test('paths are called as they are asked for', async () => {
    const asked = relative(process.cwd(), join(folder, 'a.ndjson'));
    assert.deepEqual(await names({ globs: [asked.replace('a.ndjson', 'a.ndjs?n')] }), [asked]);
    assert.deepEqual(await names({ paths: [asked] }), [asked]);
    assert.deepEqual(await names({ globs: [`${folder}/a.ndjs?n`] }), at('a.ndjson'));
  });

  test('paths keep their order and come before what matches, each once; they may look like patterns', async () => {
    const paths = at('[a].ndjson', 'c.ndjson', 'a.ndjson', 'c.ndjson');
    const found = at('[a].ndjson', 'c.ndjson', 'a.ndjson', 'link.ndjson');
    assert.deepEqual(await names({ paths, globs: at('*.ndjson') }), found);
  });

  test('a path that is not there is refused, or left out; a folder is refused', async () => {
    const paths = at('missing', 'a.ndjson');
    await assert.rejects(names({ paths }), { code: 'HPX-I001', message: /missing: ENOENT/ });
    assert.deepEqual(await names({ paths }, 'leave out'), at('a.ndjson'));
    await assert.rejects(names({ paths: [folder] }), { code: 'HPX-I001', message: /directory/ });
    assert.deepEqual(await names({ globs: at('none/*') }), []);
  });
});
