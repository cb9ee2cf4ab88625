import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { describe, test, type TestContext } from 'node:test';
import { ManualClock } from '../../../src/testing/manual-clock.ts';
import { Desk } from './desk.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 10, 30, 14, 20);

/** Dead letters that are kept for so long; each commit buries one. */
class Morgue {
  readonly clock = new ManualClock(start);
  readonly desk: Desk;
  readonly #keepMs: number;
  #buried = 0;

  private constructor(desk: Desk, keepMs: number) {
    this.desk = desk;
    this.#keepMs = keepMs;
  }

  static async open(t: TestContext, keepMs: number): Promise<Morgue> {
    const morgue = new Morgue(await Desk.inNewFolder(t), keepMs);
    await morgue.start();
    return morgue;
  }

  start(): Promise<number | undefined> {
    return this.desk.start({
      deadLetters: { path: this.desk.path('dead.ndjson'), keepMs: this.#keepMs },
      clock: this.clock,
    });
  }

  async bury(): Promise<void> {
    await this.desk.bury(`${++this.#buried}`);
    await this.desk.commit(this.#buried);
  }

  /** Nothing is buried: checkpoints only. */
  async commit(): Promise<void> {
    await this.desk.commit(this.#buried);
  }

  /** The files and what is in them. */
  async files(): Promise<Record<string, string>> {
    const names = (await readdir(this.desk.folder)).filter((name) => name.startsWith('dead-'));
    const texts = await Promise.all(names.map((name) => this.desk.text(name)));
    return Object.fromEntries(
      names.map((name, i) => [name.slice(5, -7), texts[i].replaceAll('\n', ' ').trim()]),
    );
  }
}

describe('a series of files', () => {
  test('a new one begins for each part of the time, named by the hour', async (t) => {
    const morgue = await Morgue.open(t, 24 * hourMs);
    assert.deepEqual(await morgue.files(), {});
    for (let n = 0; n < 4; n++) {
      await morgue.bury();
      morgue.clock.tick(2 * hourMs);
    }
    assert.deepEqual(await morgue.files(), { '20261130T14Z': '1 2', '20261130T18Z': '3 4' });
  });

  test('a file has an hour at least and a day at most', async (t) => {
    const short = await Morgue.open(t, hourMs / 4);
    await short.bury();
    short.clock.tick(hourMs / 2);
    await short.bury();
    assert.deepEqual(await short.files(), { '20261130T14Z': '1 2' });
    const long = await Morgue.open(t, 365 * dayMs);
    await long.bury();
    long.clock.tick(dayMs);
    await long.bury();
    assert.deepEqual(await long.files(), { '20261130T14Z': '1', '20261201T14Z': '2' });
  });

  test('a file goes when its time was over for as long as it is kept, not before', async (t) => {
    const morgue = await Morgue.open(t, 8 * hourMs);
    await morgue.bury();
    morgue.clock.tick(2 * hourMs);
    await morgue.bury();
    // The first file was for 14:00 to 15:00.
    morgue.clock.tick(7 * hourMs - 21 * 60_000);
    await morgue.commit();
    assert.deepEqual(Object.keys(await morgue.files()), ['20261130T14Z', '20261130T16Z']);
    morgue.clock.tick(60_000);
    await morgue.commit();
    assert.deepEqual(Object.keys(await morgue.files()), ['20261130T16Z']);
  });

  test('the last one goes too, also after a restart, and the series goes on', async (t) => {
    const morgue = await Morgue.open(t, 8 * hourMs);
    await morgue.bury();
    await morgue.desk.close();
    morgue.clock.tick(10 * hourMs);
    await morgue.start();
    await morgue.commit();
    assert.deepEqual(await morgue.files(), {});
    await morgue.desk.close();
    await morgue.start();
    await morgue.bury();
    assert.deepEqual(await morgue.files(), { '20261201T00Z': '2' });
  });

  test('what is staged stays in one file, and an abort takes it back', async (t) => {
    const morgue = await Morgue.open(t, 8 * hourMs);
    await morgue.desk.bury('1');
    morgue.clock.tick(hourMs);
    await morgue.desk.bury('2');
    assert.deepEqual(await morgue.files(), { '20261130T14Z': '1 2' });
    await morgue.desk.abort();
    await morgue.desk.bury('3');
    await morgue.desk.commit(3);
    assert.deepEqual(await morgue.files(), { '20261130T14Z': '', '20261130T15Z': '3' });
  });

  test('a clock that goes back stays in the file; one that jumps does not end the time of all', async (t) => {
    const morgue = await Morgue.open(t, 8 * hourMs);
    await morgue.bury();
    morgue.clock.set(start - 5 * hourMs);
    await morgue.bury();
    morgue.clock.set(start + 5 * 365 * dayMs);
    await morgue.bury();
    assert.deepEqual(await morgue.files(), { '20261130T14Z': '1 2', '20261130T15Z': '3' });
  });

  test('files of somebody else are left alone, whatever they are called', async (t) => {
    const morgue = await Morgue.open(t, hourMs);
    await writeFile(morgue.desk.path('dead-20200101T00Z.ndjson'), 'old');
    await morgue.bury();
    await writeFile(morgue.desk.path('dead-20261130T15Z.ndjson'), 'new');
    morgue.clock.tick(hourMs);
    await assert.rejects(morgue.bury(), { code: 'HPX-O004', message: /dead-20261130T15Z\.ndjson: it has 3/ });
    assert.deepEqual(await morgue.files(), {
      '20200101T00Z': 'old',
      '20261130T14Z': '1',
      '20261130T15Z': 'new',
    });
  });
});
