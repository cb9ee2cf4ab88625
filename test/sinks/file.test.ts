import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { HapaxError } from '../../src/core/errors.ts';
import type { Batch } from '../../src/core/event.ts';
import { fileSink } from '../../src/sinks/file.ts';
import { runSinkSuite } from '../../src/testing/sink-suite/sink-suite.ts';
import { runner } from '../testing/runner.ts';
import { framed, linesOf, plain, some } from './batches.ts';

describe('sink file', () => {
  const { signal } = new AbortController();
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'hapax-sink-'))));
  after(() => rm(folder, { recursive: true }));

  for (const ending of ['', '.gz']) {
    let place = 0;
    runSinkSuite(
      {
        supports: { binary: false, durable: false, refuses: false, fails: false, manners: false },
        open: async () => {
          const path = join(folder, `place-${++place}${ending}`);
          const sink = await fileSink({ path });
          return {
            sink,
            async read() {
              await sink.finish();
              const content = await readFile(path);
              return linesOf(ending ? gunzipSync(content) : content);
            },
            async close() {
              await sink.close();
              await rm(path, { force: true });
            },
          };
        },
      },
      { test: (name, run) => test(`${ending} ${name}`, run), skip: runner.skip },
    );
  }

  async function written(
    name: string,
    ...batches: readonly (readonly [Batch, ...number[]])[]
  ): Promise<string> {
    const path = join(folder, name);
    const sink = await fileSink({ path });
    await Promise.all(batches.map(([batch, ...indices]) => sink.write(some(batch, indices), signal)));
    await sink.finish();
    await sink.close();
    return readFile(path, 'utf8');
  }

  test('takes its name when it is finished, and nothing is left else', async () => {
    const path = join(folder, 'named');
    const sink = await fileSink({ path });
    await sink.write(some(framed('1\n'), [0]), signal);
    await assert.rejects(stat(path), { code: 'ENOENT' });
    await sink.finish();
    await sink.close();
    assert.equal(await readFile(path, 'utf8'), '1\n');

    const dropped = await fileSink({ path: join(folder, 'dropped') });
    await dropped.write(some(framed('1\n'), [0]), signal);
    await dropped.close();
    await dropped.close();
    assert.deepEqual((await readdir(folder)).toSorted(), ['named']);
  });

  test('never grows through a link or over a file that stands where it would; of other machines nothing goes', async () => {
    const [path, victim] = [join(folder, 'planted'), join(folder, 'victim')];
    await writeFile(victim, 'dear');
    await (await fileSink({ path })).close();
    const partial = await partialOf(path);
    const ofAnother = partial.replace(/@\w+/, '@00000000');
    await writeFile(ofAnother, '');
    for (const plant of [() => symlink(victim, partial), () => writeFile(partial, 'old')]) {
      await plant();
      assert.equal(await written('planted', [framed('1\n'), 0]), '1\n');
      assert.equal(await readFile(victim, 'utf8'), 'dear');
      assert.deepEqual(await partials(), [basename(ofAnother)]);
    }
    await rm(ofAnother);
  });

  test('two for one place at the same time are refused, and the first one is not harmed', async () => {
    const path = join(folder, 'contested');
    const first = await fileSink({ path });
    await first.write(some(framed('1\n'), [0]), signal);
    await assert.rejects(fileSink({ path }), { code: 'HPX-O001', message: /EEXIST/ });
    await first.finish();
    assert.equal(await readFile(path, 'utf8'), '1\n');
  });

  const partials = async () => (await readdir(folder)).filter((name) => name.endsWith('.partial'));

  async function partialOf(path: string): Promise<string> {
    const sink = await fileSink({ path });
    const [name] = await partials();
    await sink.close();
    return join(folder, name);
  }

  test('is on the disk before it takes its name, and the name is too', async (t) => {
    const path = join(folder, 'synced');
    const sink = await fileSink({ path });
    await sink.write(some(framed('1\n'), [0]), signal);
    const wasThere: boolean[] = [];
    t.mock.method(await handles(), 'sync', async () => {
      wasThere.push(existsSync(path));
    });
    await sink.finish();
    assert.deepEqual(wasThere, [false, true]);
  });

  test('what cannot be brought to the disk is a fault, and takes no name', async (t) => {
    const path = join(folder, 'unsynced');
    const sink = await fileSink({ path });
    t.mock.method(await handles(), 'sync', () => Promise.reject(new Error('EIO: i/o error, fsync')));
    await assert.rejects(sink.finish(), { code: 'HPX-O001', message: /unsynced: EIO/ });
    await sink.close();
    assert.ok(!existsSync(path));
  });

  test('a folder that cannot be brought to the disk is none', async (t) => {
    const path = join(folder, 'folder-unsynced');
    const sink = await fileSink({ path });
    const cannot = Object.assign(new Error('EINVAL: invalid argument, fsync'), { code: 'EINVAL' });
    t.mock.method(await handles(), 'sync', () =>
      existsSync(path) ? Promise.reject(cannot) : Promise.resolve(),
    );
    await sink.finish();
    assert.ok(existsSync(path));
  });

  async function handles(): Promise<FileHandle> {
    const handle = await open(folder);
    await handle.close();
    return Object.getPrototypeOf(handle) as FileHandle;
  }

  test('replaces what a link points to, and keeps its mode', async () => {
    const target = join(folder, 'target');
    await writeFile(target, 'old', { mode: 0o640 });
    await symlink(target, join(folder, 'link'));
    assert.equal(await written('link', [framed('new\n'), 0]), 'new\n');
    assert.equal(await readFile(target, 'utf8'), 'new\n');
    assert.equal((await stat(target)).mode & 0o777, 0o640);
  });

  test('compresses by ending', async () => {
    const path = join(folder, 'out.gz');
    const sink = await fileSink({ path });
    const lines = Array.from({ length: 50_000 }, (_, i) => `line ${i}\n`);
    for (let at = 0; at < lines.length; at += 1_000)
      await sink.write(some(framed(...lines.slice(at, at + 1_000))), signal);
    await sink.finish();
    assert.equal(gunzipSync(await readFile(path)).toString(), lines.join(''));
  });

  test('frames go out verbatim, with a line feed only where one is missing', async () => {
    const batch = framed('\uFEFF\n1\r\n', '\n\n2\n', '3\n', '4');
    assert.equal(await written('verbatim', [batch, 0, 1, 2, 3]), '\uFEFF\n1\r\n\n\n2\n3\n4');
    assert.equal(
      await written('some', [batch, 0, 2], [batch, 3], [batch], [framed('5\n', '6'), 0, 1]),
      '\uFEFF\n1\r\n3\n4\n5\n6',
    );
  });

  test('few runs and many give the same bytes, in order', async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `${i}\n`);
    const batch = framed(...lines);
    for (const step of [2, 3, 10, 100, 2_999]) {
      const indices = lines.map((_, i) => i).filter((i) => i % step !== 1);
      const expected = indices.map((i) => lines[i]).join('');
      assert.equal(await written(`runs-${step}`, [batch, ...indices]), expected);
      assert.equal(
        await written(`twice-${step}`, [batch, ...indices], [batch, ...indices]),
        expected + expected,
      );
    }
  });

  test('payloads of other sources get a line of their own; what cannot be one is rejected', async () => {
    const sink = await fileSink({ path: join(folder, 'plain') });
    const payloads = ['{\n "a": 1\r\n}', Buffer.of(0xff), '2', 'two\nlines', '{"a":"\n"}'];
    const answer = await sink.write(some(plain(...payloads)), signal);
    const rejected = [
      { at: 1, reason: 'encoding' },
      { at: 3, reason: 'line break' },
      { at: 4, reason: 'line break' },
    ];
    assert.deepEqual(answer, { rejected });
    await sink.finish();
    assert.equal(await readFile(join(folder, 'plain'), 'utf8'), '{  "a": 1  }\n2\n');
  });

  test('a folder, a missing folder and a full disk are told with the path', async () => {
    await mkdir(join(folder, 'folder'));
    for (const path of [join(folder, 'folder'), join(folder, 'none', 'out')])
      await assert.rejects(
        fileSink({ path }),
        ({ code, message }: HapaxError) => code === 'HPX-O001' && message.includes(path),
      );

    const full = await fileSink({ path: '/dev/full' });
    const fails = { code: 'HPX-O001', message: /\/dev\/full: ENOSPC/ };
    await assert.rejects(full.write(some(framed('1\n')), signal), fails);
    await assert.rejects(full.write(some(framed('2\n')), signal), fails);
    await assert.rejects(full.finish(), fails);
    await full.close();
  });
});
