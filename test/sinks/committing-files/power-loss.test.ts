import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { openCommittingFiles } from '../../../src/sinks/committing-files.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';
import { oneOf, seeded, type Chance } from '../../../src/core/chance.ts';
import { Desk } from './desk.ts';
import { Platter, type Image } from './platter.ts';

const hourMs = 3_600_000;
const imagesMax = 150;

interface Loss {
  readonly image: Image;
  /** The last commit that was answered. */
  readonly said: number;
}

/** What the outputs are at a checkpoint, `out / dead`. */
type Expected = Map<number, string>;

const optionsIn = (folder: string) => ({
  path: join(folder, 'out'),
  deadLetters: { path: join(folder, 'dead'), keepMs: 10_000 * hourMs },
});

/** A process that stages, commits, aborts, takes and turns to new files, and images of its disk at any moment. */
async function live(t: TestContext, chance: Chance): Promise<{ losses: Loss[]; expected: Expected }> {
  const clock = new ManualClock();
  const desk = await Desk.inNewFolder(t, { clock });
  const losses: Loss[] = [];
  const expected: Expected = new Map([[0, ' / ']]);
  const [out, dead]: string[][] = [[], []];
  let said = 0;
  const platter = await Platter.mount(() => {
    losses.push({ image: platter.lose(desk.folder, chance), said });
  });
  t.after(() => {
    platter.unmount();
  });
  await desk.start(optionsIn(desk.folder));
  for (let n = 1; losses.length < imagesMax; n++) {
    const [line, letter] = [`${n} ${'x'.repeat(1 + chance.pick(900))}`, `letter ${n}`];
    const stage = async (): Promise<void> => {
      await Promise.all([desk.stage(line), ...(n % 3 === 0 ? [desk.bury(letter)] : [])]);
    };
    await stage();
    const otherwise = oneOf(chance, ['nothing', 'nothing', 'abort', 'take', 'time']);
    if (otherwise === 'take') await desk.take();
    if (otherwise === 'abort') {
      await desk.abort();
      await stage();
    }
    out.push(line);
    if (n % 3 === 0) dead.push(letter);
    expected.set(n, `${out.join(' ')} / ${dead.join(' ')}`);
    await desk.commit(n);
    said = n;
    if (otherwise === 'time') clock.tick(25 * hourMs);
  }
  platter.unmount();
  return { losses, expected };
}

/** The checkpoint and the outputs that the next process has. */
async function next(image: Image): Promise<readonly [number, string]> {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-power-'));
  for (const [name, bytes] of image) await writeFile(join(folder, name), bytes);
  const { sink } = await openCommittingFiles(optionsIn(folder));
  const [{ checkpoint = 0 }] = await sink.take([{ partition: 'p', above: 0 }]);
  await sink.close();
  const letters = (await readdir(folder)).filter((name) => name.startsWith('dead-')).toSorted();
  const texts = await Promise.all(['out', ...letters].map((name) => readFile(join(folder, name), 'utf8')));
  await rm(folder, { recursive: true });
  const words = (text: string): string => text.trim().split('\n').join(' ');
  return [checkpoint, `${words(texts[0])} / ${words(texts.slice(1).join(''))}`];
}

describe('committing files when the power goes', () => {
  for (const seed of [1, 2, 3])
    test(`all that was said is there, all else is not, with seed ${seed}`, async (t) => {
      const { losses, expected } = await live(t, seeded(seed));
      for (const { image, said } of losses) {
        if (!image.has('out.commits')) continue;
        const [checkpoint, outputs] = await next(image);
        assert.ok(checkpoint >= said, `${checkpoint} after ${said}`);
        assert.ok(outputs === expected.get(checkpoint), `other outputs at ${checkpoint}`);
      }
    });
});
