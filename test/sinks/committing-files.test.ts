import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openCommittingFiles, type CommittingFiles } from '../../src/sinks/committing-files.ts';
import { runCommittingSuite } from '../../src/testing/committing-suite/committing-suite.ts';
import type { Arrival } from '../../src/testing/sink-suite/check.ts';
import { runSinkSuite } from '../../src/testing/sink-suite/sink-suite.ts';
import { runner } from '../testing/runner.ts';
import { linesOf } from './batches.ts';
import { FullDisk } from './committing-files/full-disk.ts';
import { TurnsOfConnections } from './committing-files/turns-of-connections.ts';

describe('committing files', () => {
  let root: string;
  let places = 0;
  before(async () => (root = await mkdtemp(join(tmpdir(), 'hapax-commits-'))));
  after(() => rm(root, { recursive: true }));

  const newFolder = async (): Promise<string> => {
    const folder = join(root, `${++places}`);
    await mkdir(folder);
    return folder;
  };

  /** What a process that starts now would find: what is not committed is cut from a copy. */
  const readAfterCrash = async (folder: string, name: string): Promise<Arrival[]> => {
    const copy = await newFolder();
    await cp(folder, copy, { recursive: true });
    const { sink } = await openCommittingFiles({
      path: join(copy, 'out'),
      deadLetters: { path: join(copy, 'dead') },
    });
    await sink.take([]);
    await sink.close();
    return linesOf(await readFile(join(copy, name)));
  };

  runCommittingSuite(
    {
      supports: { deadLetters: true },
      open: async (clock) => {
        const folder = await newFolder();
        const connections = new TurnsOfConnections(() =>
          openCommittingFiles({
            path: join(folder, 'out'),
            deadLetters: { path: join(folder, 'dead') },
            clock,
          }),
        );
        const payloads = async (name: string) =>
          (await readAfterCrash(folder, name)).map(({ payload }) => payload);
        return {
          connect: () => connections.connect(),
          read: () => payloads('out'),
          readDeadLetters: () => payloads('dead'),
          close: () => connections.close(),
        };
      },
    },
    { ...runner, test: (name, run) => test(name, run) },
  );

  for (const face of ['sink', 'duplicates', 'deadLetters'] as const)
    runSinkSuite(
      {
        supports: { binary: false, durable: false, refuses: false, fails: true, manners: false },
        open: async () => {
          const folder = await newFolder();
          const files = await openCommittingFiles({
            path: join(folder, 'sink'),
            duplicates: { path: join(folder, 'duplicates') },
            deadLetters: { path: join(folder, 'deadLetters') },
          });
          return placeOf(files, face, join(folder, face));
        },
      },
      { ...runner, test: (name, run) => test(`${face}: ${name}`, run) },
    );

  async function placeOf(files: CommittingFiles, face: 'sink' | 'duplicates' | 'deadLetters', path: string) {
    const disk = await FullDisk.mount();
    return {
      sink: files[face]!,
      async read() {
        await files.sink.commit([]);
        return linesOf(await readFile(path));
      },
      fail: (payload: string) => {
        disk.isFullAt(payload);
      },
      mend: () => {
        disk.hasRoom();
      },
      async close() {
        disk.unmount();
        await files.sink.close();
      },
    };
  }
});
