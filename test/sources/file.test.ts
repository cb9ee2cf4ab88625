import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, open, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { systemClock, type Clock } from '../../src/core/clock.ts';
import { HapaxError, type ErrorCode } from '../../src/core/errors.ts';
import { payloadOf, type Batch } from '../../src/core/event.ts';
import { Unidentified } from '../../src/core/identity.ts';
import type { SourceBench } from '../../src/testing/source-suite/check.ts';
import { runSourceSuite } from '../../src/testing/source-suite/source-suite.ts';
import { runner } from '../testing/runner.ts';
import { restarts } from './restarts.ts';
import { fileSource, type FileSource, type FileSourceOptions } from '../../src/sources/file/source.ts';

/** The same in chunks that are small, large and compressed, and followed. */
const kinds: Record<string, FileSourceOptions> = {
  ' in small chunks': { chunkSizeMax: 64, lines: true },
  ' in large chunks': {},
  '.gz': { chunkSizeMax: 64 },
  ' followed': { follow: true, chunkSizeMax: 64 },
  ' followed.gz': { follow: true, chunkSizeMax: 64 },
};
const supports = {
  replays: true,
  binary: false,
  sideBySide: false,
  revokes: false,
  retains: false,
  retires: false,
};
/** It is looked for news again and again. */
const hasty: Clock = { ...systemClock, sleep: () => new Promise((resolve) => setImmediate(resolve)) };

interface Reading {
  readonly source: FileSource;
  readonly batches: readonly Batch[];
  readonly error?: unknown;
}

describe('source file', () => {
  const { signal } = new AbortController();
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'hapax-source-'))));
  after(() => rm(folder, { recursive: true }));

  for (const [kind, options] of Object.entries(kinds)) {
    const follow = options.follow === true;
    const encoded = (lines: Uint8Array) => (kind.endsWith('.gz') ? gzipSync(lines) : lines);
    const linesOf = (payloads: readonly Uint8Array[]) =>
      encoded(Buffer.concat(payloads.flatMap((payload) => [payload, Buffer.of(10)])));
    let place = 0;
    const bench: SourceBench = {
      supports: { ...supports, ends: !follow, grows: follow },
      open: async ([log]) => {
        const path = await file(`place-${++place}${kind}`, linesOf(log));
        const opened: FileSource[] = [];
        return {
          partitions: [path],
          connect: () => {
            const source = fileSource({ paths: [path], clock: hasty, ...options });
            opened.push(source);
            return source;
          },
          append: (_, payloads) => appendFile(path, linesOf(payloads)),
          close: async () => {
            for (const source of opened) await source.close();
            await unlink(path);
          },
        };
      },
    };
    runSourceSuite(bench, { test: (name, run) => test(`file${kind} ${name}`, run), skip: runner.skip });
    for (const { name, run } of restarts) test(`file${kind} ${name}`, () => run(bench));
  }

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  /** Reads to the end; `starts`: positions for partitions. */
  async function read(options: FileSourceOptions, starts: Record<string, number> = {}): Promise<Reading> {
    const source = fileSource(options);
    const batches: Batch[] = [];
    try {
      for (;;) {
        const happening = await source.next(signal);
        if (happening?.type === 'assigned')
          for (const path of happening.partitions) source.start(path, starts[path]);
        if (happening?.type === 'batches') batches.push(...happening.batches);
        if (happening?.type === 'end') return { source, batches };
      }
    } catch (error) {
      return { source, batches, error };
    } finally {
      await source.close();
    }
  }

  test('lines, their positions and frames', async () => {
    const path = await file('plain.ndjson', '{"a":1}\r\n\n  \r\n{"a":2}\n{"a":3}');
    const reading = await read({ paths: [path] });
    assert.deepEqual(payloads(reading), ['{"a":1}', '{"a":2}', '{"a":3}']);
    assert.deepEqual(positions(reading), [0, 14, 22]);
    assert.deepEqual(frames(reading), ['{"a":1}\r\n', '\n  \r\n{"a":2}\n', '{"a":3}']);
    assert.equal(reading.source.progress().blank, 2);
  });

  test('a blank line is a delivery with lines', async () => {
    const path = await file('lines.txt', 'a\n\n b\r\n');
    const reading = await read({ paths: [path], lines: true });
    assert.deepEqual(payloads(reading), ['a', '', ' b']);
    assert.equal(reading.source.progress().blank, 0);
  });

  test('frames and rest are the input, and all is the same whatever the chunks', async () => {
    const content = '\uFEFF\n\n{"a":1}\n{"a":"ö"}\r\n \n\n\n{"a":3}\n{"a":444444444444444}\n\n\n';
    const path = await file('chunks.ndjson', content);
    const whole = await read({ paths: [path] });
    for (let chunkSizeMax = 1; chunkSizeMax < 70; chunkSizeMax++) {
      const reading = await read({ paths: [path], chunkSizeMax });
      assert.equal(
        frames(reading).join('') + text(reading.source.rest()),
        content,
        `chunks of ${chunkSizeMax}`,
      );
      assert.deepEqual(positions(reading), positions(whole));
      assert.deepEqual(payloads(reading), payloads(whole));
      assert.deepEqual(frames(reading), frames(whole));
      assert.equal(reading.source.progress().blank, 7);
    }
  });

  test('files one after another: partitions by path, the mark of later ones left out, blank lines go on', async () => {
    const [a, b, c] = [await file('a', '1\n\n '), await file('b', ''), await file('c', '\uFEFF2')];
    const reading = await read({ paths: [a, b, c] });
    assert.deepEqual(
      reading.batches.map(({ partition, positions: [first], next }) => [partition, first, next]),
      [
        [a, 0, 3],
        [c, 3, 4],
      ],
    );
    assert.deepEqual(frames(reading), ['1\n', '\n \n2']);
  });

  test('nothing is given before start, none while paused, and each is told once', async () => {
    const path = await file('paused', '1\n2\n');
    const source = fileSource({ paths: [path] });
    assert.deepEqual(await source.next(signal), { type: 'assigned', partitions: [path] });
    assert.equal(await source.next(soon()), undefined);
    source.start(path, undefined);
    source.pause(path);
    assert.equal(await source.next(soon()), undefined);
    source.resume(path);
    assert.equal((await source.next(signal))?.type, 'batches');
    assert.equal((await source.next(signal))?.type, 'end');
    assert.equal((await source.next(signal))?.type, 'end');
    await source.close();
  });

  test('reading starts at a position, in plain and in compressed files', async () => {
    const content = '{"a":1}\n{"a":2}\n{"a":3}\n';
    for (const path of [await file('from', content), await file('from.gz', gzipSync(content))]) {
      const reading = await read({ paths: [path] }, { [path]: 8 });
      assert.deepEqual(payloads(reading), ['{"a":2}', '{"a":3}']);
      assert.deepEqual(positions(reading), [8, 16]);
    }
  });

  test('a stream begins at its beginning, whatever number its position goes on with', async () => {
    const pipe = join(folder, 'stream');
    execFileSync('mkfifo', [pipe]);
    const written = writeFile(pipe, '\uFEFF{"a":1}\n{"a":2}\n');
    const reading = await read({ paths: [pipe], knownFiles: new Map() }, { [pipe]: 100 });
    await written;
    assert.deepEqual(payloads(reading), ['{"a":1}', '{"a":2}']);
    assert.deepEqual(positions(reading), [103, 111]);
    assert.deepEqual(frames(reading).join(''), '{"a":1}\n{"a":2}\n');
    assert.equal(reading.source.lineAt(pipe, 111), 2);
  });

  test('batches are no larger than the engine takes', async () => {
    const path = await file('short', 'x\n'.repeat(200_000));
    const reading = await read({ paths: [path], lines: true });
    assert.equal(payloads(reading).length, 200_000);
    assert.ok(reading.batches.every(({ count }) => count <= 65_536));
  });

  describe('lines that are too large', () => {
    const large = 'x'.repeat(300);
    const content = `1\n${large}\n3\n${large}`;
    const at = [0, 2, 303, 305];
    for (const chunkSizeMax of [7, 100, 4_096]) {
      test(`come flawed, in chunks of ${chunkSizeMax}`, async () => {
        const path = await file(`large-${chunkSizeMax}`, content);
        const reading = await read({ paths: [path], lineSizeMax: 200, chunkSizeMax });
        assert.deepEqual(positions(reading), at);
        const flaws = reading.batches.flatMap((batch) => each(batch, (i) => batch.flaws?.[i] ?? 0));
        assert.deepEqual(flaws, [0, Unidentified.tooLarge, 0, Unidentified.tooLarge]);
        assert.deepEqual(
          payloads(reading).filter((_, i) => !flaws[i]),
          ['1', '3'],
        );
        assert.equal(reading.batches.at(-1)?.next, content.length);
      });

      test(`come whole up to another limit, in chunks of ${chunkSizeMax}`, async () => {
        const path = await file(`whole-${chunkSizeMax}`, content);
        for (const [wholeSizeMax, flaw] of [
          [300, Unidentified.largeButWhole],
          [299, Unidentified.tooLarge],
        ]) {
          const reading = await read({ paths: [path], lineSizeMax: 200, wholeSizeMax, chunkSizeMax });
          const flaws = reading.batches.flatMap((batch) => each(batch, (i) => batch.flaws?.[i] ?? 0));
          assert.deepEqual(flaws, [0, flaw, 0, flaw]);
          if (flaw === Unidentified.largeButWhole) assert.equal(frames(reading).join(''), content);
        }
      });
    }

    test('are not held', async () => {
      const path = await file('huge', Buffer.alloc(40_000_000, 120));
      const reading = await read({ paths: [path], lineSizeMax: 1_000_000 });
      assert.equal(reading.batches.length, 1);
      assert.equal(reading.batches[0].bytes.length, 65_536);
      assert.equal(reading.batches[0].next, 40_000_000);
    });
  });

  test('line numbers count blank lines', async () => {
    const [a, b] = [await file('numbers-a', '\n1\n\n\n2\n\n'), await file('numbers-b', '\n3\n')];
    const { source } = await read({ paths: [a, b] });
    assert.deepEqual([source.lineAt(a, 1), source.lineAt(a, 5), source.lineAt(b, 1)], [2, 5, 2]);
    assert.equal(source.lineAt('c', 0), undefined);
  });

  describe('gzip', () => {
    const lines = Array.from(
      { length: 30_000 },
      (_, i) => `{"id":${i},"x":"${((i * 7919) % 65_537).toString(36)}"}`,
    );
    const content = lines.join('\n') + '\n';
    const compressed = gzipSync(content);

    test('is decompressed, members one after another', async () => {
      const path = await file(
        'members.gz',
        Buffer.concat([compressed, gzipSync(''), gzipSync('{"id":"last"}')]),
      );
      assert.deepEqual(payloads(await read({ paths: [path] })), [...lines, '{"id":"last"}']);
    });

    test('gives all whole lines of a truncated file, then the error', async () => {
      const path = await file('short.gz', compressed.subarray(0, compressed.length / 2));
      const reading = await read({ paths: [path] });
      failed(reading, 'HPX-I002', path);
      const got = payloads(reading);
      assert.ok(got.length > 10_000);
      assert.deepEqual(got, lines.slice(0, got.length));
    });

    test('gives what was before the damage, to the line', async () => {
      const path = await file('damaged.gz', Buffer.concat([compressed, Buffer.from('garbage')]));
      const reading = await read({ paths: [path] });
      failed(reading, 'HPX-I002', path);
      assert.deepEqual(payloads(reading), lines);
    });

    test('that is none, is empty or was flipped is told', async () => {
      const flipped = Buffer.from(compressed);
      flipped[compressed.length / 2] ^= 0x10;
      for (const [name, bytes] of Object.entries({ none: content, empty: '', flipped }))
        failed(await read({ paths: [await file(`${name}.gz`, bytes)] }), 'HPX-I002', `${name}.gz`);
    });
  });

  describe('what cannot be read is told with its path', () => {
    test('a missing file, before anything is read', async () => {
      const path = await file('there', '1\n');
      const reading = await read({ paths: [path, join(folder, 'missing')] });
      failed(reading, 'HPX-I001', 'missing: ENOENT');
      assert.deepEqual(reading.batches, []);
    });

    test('a folder', async () => {
      await mkdir(join(folder, 'folder'));
      failed(await read({ paths: [join(folder, 'folder')] }), 'HPX-I001', 'folder: it is a directory');
    });

    test('a file that vanishes before its turn; what came before is given, and the error stays', async () => {
      const [a, b] = [await file('stays', '1\n'), await file('vanishes', '2\n')];
      const source = fileSource({ paths: [a, b] });
      await source.next(signal);
      await unlink(b);
      source.start(a, undefined);
      source.start(b, undefined);
      assert.equal((await source.next(signal))?.type, 'batches');
      await assert.rejects(source.next(signal), { code: 'HPX-I001' });
      await assert.rejects(source.next(signal), { code: 'HPX-I001' });
    });

    test('UTF-16, and gzip under another name', async () => {
      const utf16 = await file('utf16', Buffer.from('\uFEFF{"a":1}\n', 'utf16le'));
      failed(await read({ paths: [utf16] }), 'HPX-I004', 'UTF-16');
      failed(await read({ paths: [await file('gzip', gzipSync('{}'))] }), 'HPX-I004', 'gzip');
    });

    test('a device and a pipe are read like files', async () => {
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const [reading] = await Promise.all([read({ paths: ['/dev/null', pipe] }), writeFile(pipe, '1\n2')]);
      assert.deepEqual(payloads(reading), ['1', '2']);
      assert.equal(reading.source.progress().bytesTotal, undefined);
    });
  });

  test('what matches is read by path; where nothing does it is told', async () => {
    await mkdir(join(folder, 'matching'));
    for (const name of ['b', 'c', 'a']) await file(`matching/${name}.log`, `${name}\n`);
    assert.deepEqual(payloads(await read({ globs: [join(folder, 'matching/*.log')] })), ['a', 'b', 'c']);
    failed(await read({ globs: [join(folder, 'matching/*.ndjson')] }), 'HPX-I001', 'nothing matches');
    failed(await read({}), 'HPX-I001', 'nothing matches');
  });

  test('a path that is named twice is read once', async () => {
    const path = await file('twice', '1\n');
    assert.deepEqual(payloads(await read({ paths: [path, path] })), ['1']);
  });

  test('a stream goes on where its partition stands: what comes is new', async () => {
    const pipe = join(folder, 'later');
    execFileSync('mkfifo', [pipe]);
    const [reading] = await Promise.all([
      read({ paths: [pipe] }, { [pipe]: 100 }),
      writeFile(pipe, '1\n2\n'),
    ]);
    assert.deepEqual(payloads(reading), ['1', '2']);
    assert.deepEqual(positions(reading), [100, 102]);
  });

  test('a stream that is started again goes on, and tells what it cannot give again', async () => {
    const pipe = join(folder, 'again');
    execFileSync('mkfifo', [pipe]);
    const writing = open(pipe, 'w');
    const source = fileSource({ paths: [pipe] });
    await source.next(signal);
    source.start(pipe, 10);
    const coming = source.next(signal);
    const writer = await writing;
    await writer.write('one\n');
    assert.equal((await coming)?.type, 'batches');
    source.start(pipe, 10);
    const { reason: _, ...gap } = (await source.next(signal)) as { reason: string };
    assert.deepEqual(gap, { type: 'gap', partition: pipe, from: 10, to: 14 });
    await writer.write('two\n');
    await writer.close();
    const next = await source.next(signal);
    assert.ok(next?.type === 'batches');
    assert.deepEqual([...next.batches[0].positions], [14]);
    assert.equal((await source.next(signal))?.type, 'end');
    await source.close();
  });

  test('thousands of files are not open at once', async () => {
    const paths = [];
    for (let i = 0; i < 3_000; i++) paths.push(await file(`many-${i}`, `${i}\n`));
    const reading = await read({ paths });
    assert.deepEqual(
      payloads(reading),
      paths.map((_, i) => String(i)),
    );
    assert.equal(reading.source.progress().bytesRead, reading.source.progress().bytesTotal);
  });
});

/** Aborted in a moment. */
function soon(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => {
    controller.abort();
  }, 20);
  return controller.signal;
}
function payloads({ batches }: Reading): string[] {
  return batches.flatMap((batch) => each(batch, (i) => text(payloadOf(batch, i))));
}
function positions({ batches }: Reading): number[] {
  return batches.flatMap((batch) => [...batch.positions]);
}
function frames({ batches }: Reading): string[] {
  return batches.flatMap((batch) => {
    const at = batch.frames ?? new Uint32Array();
    return each(batch, (i) => text(batch.bytes.subarray(at[i], at[i + 1])));
  });
}
function each<T>(batch: Batch, view: (i: number) => T): T[] {
  return Array.from({ length: batch.count }, (_, i) => view(i));
}
function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
function failed({ error }: Reading, code: ErrorCode, part: string): void {
  assert.ok(error instanceof HapaxError, String(error));
  assert.equal(error.code, code);
  assert.ok(error.message.includes(part), error.message);
}
