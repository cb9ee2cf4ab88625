import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Input } from '../../../src/sources/file/input.ts';
import { openNamedPipe } from '../../../src/sources/file/named-pipe.ts';

for (const looksEndedAtFirst of process.platform === 'linux' ? [false, true] : [true])
  describe(`a named pipe${looksEndedAtFirst ? ' that looks ended before it is written to' : ''}`, () => {
    let folder: string;
    let path: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hapax-pipe-'));
      path = join(folder, 'pipe');
      execFileSync('mkfifo', [path]);
    });
    after(() => rm(folder, { recursive: true }));

    test('waits for a writer, and ends with him', async () => {
      const input = await openNamedPipe(path, looksEndedAtFirst);
      const text = textOf(input);
      const writer = await open(path, 'w');
      await writer.write('a');
      await writer.write('b\n');
      await writer.close();
      assert.equal(await text, 'ab\n');
      await input.close();
    });

    test('a writer that was there first is heard', async () => {
      const written = writeFile(path, 'a\n');
      const input = await openNamedPipe(path, looksEndedAtFirst);
      assert.equal(await textOf(input), 'a\n');
      await written;
      await input.close();
    });

    test('closed, it is not waited for any more, and closing twice is closing once', async () => {
      const input = await openNamedPipe(path, looksEndedAtFirst);
      const text = textOf(input).catch(() => '');
      await input.close();
      await input.close();
      assert.equal(await text, '');
      await (await openNamedPipe(path, looksEndedAtFirst)).close();
    });
  });

test('a writer that has nothing to say ends a named pipe as well', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-pipe-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const input = await openNamedPipe(path);
  const text = textOf(input);
  await appendFile(path, '');
  assert.equal(await text, '');
  await input.close();
});

async function textOf(input: Input): Promise<string> {
  const buffer = Buffer.alloc(10);
  let text = '';
  for (let size = await input.read(buffer); size > 0; size = await input.read(buffer))
    text += buffer.toString('utf8', 0, size);
  return text;
}
