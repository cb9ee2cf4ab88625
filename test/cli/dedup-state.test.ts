import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { ended, hapax, start, type Ran } from './hapax.ts';

/** A folder in which runs share the state directory `seen`. */
async function site(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-seen-'));
  t.after(() => rm(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const argsOf = (files: readonly string[], options: readonly string[]) => [
    'dedup',
    ...files.map((name) => (name === '-' ? name : at(name))),
    ...['--state', at('seen'), '--summary', 'json', ...options],
  ];
  return {
    at,
    argsOf,
    put: (name: string, ...lines: string[]) => writeFile(at(name), lines.map((line) => `${line}\n`).join('')),
    text: (name: string) => readFile(at(name), 'utf8'),
    run: async (files: readonly string[], options: readonly string[] = [], input = '') => {
      const { code, out, err } = await hapax(argsOf(files, options), input);
      assert.equal(code, 0, err);
      return { out: out.toString(), counts: JSON.parse(err) as Record<string, number> };
    },
  };
}

const event = (id: number) => `{"event_id":${id}}`;

describe('hapax dedup with a state directory', () => {
  test('today knows what yesterday has seen, and its counts are its own', async (t) => {
    const { put, run, at, text } = await site(t);
    await put('yesterday', event(1), event(2), event(1));
    await put('today', event(2), event(3));
    await run(['yesterday'], ['--output', at('unique')]);
    const { counts } = await run(['today'], ['--output', at('unique')]);
    assert.deepEqual([counts.received, counts.first, counts.duplicate], [2, 1, 1]);
    assert.equal(await text('unique'), [event(1), event(2), event(3), ''].join('\n'));
  });

  test('a file that is given again has nothing but duplicates, whatever it is called by then', async (t) => {
    const { put, run, at } = await site(t);
    await put('a', event(1), 'bad', event(2));
    const dead = ['--output', at('unique'), '--dead-letter', at('dead')];
    assert.equal((await run(['a'], dead)).counts.unidentified, 1);
    for (const name of ['a', 'b']) {
      if (name !== 'a') await rename(at('a'), at(name));
      const { received, duplicate, emitted, dead_lettered } = (await run([name], dead)).counts;
      assert.deepEqual([received, duplicate, emitted, dead_lettered], [3, 3, 0, 0], name);
    }
  });

  test('what has no id in another file is another event, though it stands at the same place', async (t) => {
    const { put, run, at, text } = await site(t);
    const options = ['--output', at('unique'), '--dead-letter', at('dead')];
    for (const id of [1, 2]) {
      await put('events', 'time,id', event(id));
      const { counts } = await run(['events'], options);
      assert.deepEqual([counts.first, counts.unidentified, counts.duplicate], [1, 1, 0]);
    }
    for (const id of [3, 4]) {
      const { counts } = await run(['-'], options, `\uFEFFtime,id\n${event(id)}\n`);
      assert.deepEqual([counts.first, counts.unidentified, counts.duplicate], [1, 1, 0]);
    }
    assert.equal((await text('dead')).split('\n').length, 5);
    assert.equal(await text('unique'), [1, 2, 3, 4].map((id) => `${event(id)}\n`).join(''));
  });

  test('standard input is told by its own lines in every run', async (t) => {
    const { run, argsOf } = await site(t);
    await run(['-'], [], `${event(1)}\n${event(2)}\n`);
    const { code, err } = await hapax(argsOf(['-'], []), `${event(3)}\nbad\n`);
    assert.equal(code, 1);
    assert.match(err, /standard input, line 2/);
  });

  test('to standard output as well', async (t) => {
    const { put, run } = await site(t);
    await put('a', event(1), event(2));
    assert.equal((await run(['a'])).out, `${event(1)}\n${event(2)}\n`);
    const { out, counts } = await run(['a', '-'], [], `${event(2)}\n${event(3)}\n`);
    assert.equal(out, `${event(3)}\n`);
    assert.deepEqual([counts.received, counts.duplicate], [4, 3]);
  });

  test('inputs stay in their order, and one without a last line feed gets one', async (t) => {
    const { at, run, text } = await site(t);
    const lines = Array.from({ length: 40_000 }, (_, i) => `{"event_id":${i},"pad":"${'x'.repeat(60)}"}`);
    const parts = [0, 10_000, 20_000, 30_000].map((from) => lines.slice(from, from + 10_000).join('\n'));
    for (const [k, part] of parts.entries()) await writeFile(at(`in${k}`), part);
    await run(['in0', 'in1', 'in2', 'in3'], ['--output', at('unique')]);
    assert.equal(await text('unique'), lines.join('\n'));
  });

  test('a window that follows the events goes on where it was', async (t) => {
    const { put, run, at } = await site(t);
    const timed = (id: number, time: string) => `{"event_id":${id},"time":"2026-01-${time}:00:00Z"}`;
    await put('first', timed(1, '01T00'), timed(2, '01T12'), timed(3, '02T00'));
    await put('second', timed(2, '03T06'), timed(1, '03T08'), timed(4, '03T09'), timed(2, '09T00'));
    const options = ['--event-time', '/time', '--output', at('unique')];
    await run(['first'], options);
    const { counts } = await run(['second'], options);
    assert.deepEqual([counts.first, counts.duplicate, counts.late], [3, 1, 0]);
  });

  describe('refuses', () => {
    test('other identity settings, unless they are confirmed', async (t) => {
      const { put, run, argsOf } = await site(t);
      await put('a', event(1));
      await run(['a']);
      const refused = await hapax(argsOf(['a'], ['--id', '/other']));
      assert.equal(refused.code, 78);
      assert.match(refused.err, /HPX-C018/);
      await run(['a'], ['--id', 'line', '--confirm', 'HPX-C018']);
    });

    test('a directory that another run has', async (t) => {
      const { argsOf, put } = await site(t);
      await put('a', event(1));
      const child = start(argsOf(['-'], []));
      const end = ended(child);
      child.stdin?.write(`${event(1)}\n`);
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      const { code, err } = await hapax(argsOf(['a'], []));
      assert.deepEqual([code, err.includes('HPX-S004')], [78, true]);
      child.stdin?.end();
      assert.equal((await end).code, 0);
    });

    test('a state of which something is missing', async (t) => {
      const { put, run, at, argsOf } = await site(t);
      await put('a', event(1));
      await run(['a']);
      await rm(at('seen/secret'));
      const { code, err } = await hapax(argsOf(['a'], []));
      assert.deepEqual([code, err.includes('HPX-S005')], [78, true]);
    });

    test('outputs that cannot be committed or lie in it', async (t) => {
      const { argsOf, at } = await site(t);
      for (const [options, code, why] of [
        [['--dead-letter', at('dead')], 2, 'HPX-C008'],
        [['--output', '-', '--duplicates', at('copies')], 2, 'HPX-C008'],
        [['--output', at('seen/unique')], 2, 'HPX-C006'],
        [['--output', at('unique.gz')], 78, 'HPX-O007'],
        [['--output', '/dev/null'], 78, 'HPX-O007'],
      ] as const) {
        const ran = await hapax(argsOf([], options));
        assert.deepEqual([ran.code, ran.err.includes(why)], [code, true], ran.err);
      }
      const without = await hapax(['dedup', '--confirm', 'HPX-S005']);
      assert.deepEqual([without.code, without.err.includes('--confirm needs --state')], [2, true]);
    });
  });
});

describe('hapax dedup with a state directory, killed', () => {
  const count = 30_000;
  const quietMax = 500;
  const lines = Array.from({ length: count }, (_, i) => {
    const id = i % 5 === 3 ? i - (i % 100) : i;
    return i % 2_000 === 1_999 ? `bad ${i}` : `{"event_id":${id},"i":${i},"pad":"${'x'.repeat(60)}"}`;
  });
  const isBad = (line: string) => line.startsWith('bad');
  const idOf = (line: string) => (JSON.parse(line) as { event_id: number }).event_id;
  /** What is to be in the outputs: the first of each id, and each line without one. */
  const expected = [
    ...new Map(lines.filter((line) => !isBad(line)).map((line) => [idOf(line), line])).keys(),
  ];

  /** Runs over the input and a pipe that nobody writes to; it is killed when so much is in a file, or nothing more comes. */
  async function killedWhen(args: readonly string[], path: string, size: number): Promise<Ran> {
    const child = start(args);
    const end = ended(child);
    const sizeNow = () => (existsSync(path) ? statSync(path).size : 0);
    for (let quiet = 0; quiet < quietMax && sizeNow() < size;) {
      const before = sizeNow();
      await new Promise((resolve) => setTimeout(resolve, 2));
      quiet = sizeNow() === before ? quiet + 1 : 0;
    }
    child.kill('SIGKILL');
    const ran = await end;
    assert.equal(ran.code, null, ran.err);
    return ran;
  }

  async function killSite(t: TestContext) {
    const place = await site(t);
    await appendFile(place.at('in'), `${lines.join('\n')}\n`);
    execFileSync('mkfifo', [place.at('silent')]);
    const rows = async (...names: string[]) => {
      const texts = await Promise.all(names.map((name) => place.text(name).catch(() => '')));
      return texts.flatMap((text) => text.split('\n').filter(Boolean));
    };
    return { ...place, rows };
  }
  const sizes = [0, 1, 200_000, 1_000_000, 1_500_000, 2_000_000];

  test('and run again, has in its output what it would have had: nothing is missing, nothing is there twice', async (t) => {
    const { at, argsOf, run, rows } = await killSite(t);
    const options = ['--output', at('unique'), '--dead-letter', at('dead'), '--duplicates', at('copies')];
    for (const size of sizes) await killedWhen(argsOf(['in', 'silent'], options), at('unique'), size);
    for (const size of [1, 2_000, 6_000])
      await killedWhen(argsOf(['in', 'silent'], options), at('seen/runs.commits'), size);
    const { counts } = await run(['in'], options);
    assert.deepEqual([counts.received, counts.in_flight], [count, 0]);
    assert.deepEqual((await rows('unique')).map(idOf), expected);
    assert.equal((await rows('dead')).length, lines.filter(isBad).length);
  });

  test('and then told to write elsewhere, has nothing in two outputs', async (t) => {
    const { at, argsOf, run, rows } = await killSite(t);
    const names = sizes.map((_, k) => `unique-${k}`);
    const options = (name: string) => ['--output', at(name), '--dead-letter', at('dead')];
    for (const [k, name] of names.entries())
      await killedWhen(argsOf(['in', 'silent'], options(name)), at(name), k === 0 ? 1_000_000 : 0);
    await run(['in'], options('last'));
    const ids = (await rows(...names, 'last')).map(idOf);
    assert.deepEqual(ids, expected);
    assert.equal((await rows('dead')).length, lines.filter(isBad).length);
  });

  test('while it wrote to standard output: nothing is missing in what all runs wrote', async (t) => {
    const { at, argsOf, rows, run } = await killSite(t);
    const options = ['--unidentified', 'pass'];
    for (const [name, size] of [
      ['one', 300],
      ['two', 2_000],
    ] as const)
      await writeFile(
        at(name),
        (await killedWhen(argsOf(['in', 'silent'], options), at('seen/runs.commits'), size)).out,
      );
    await writeFile(at('three'), (await run(['in'], options)).out);
    const whole = (await rows('one', 'two', 'three')).filter((row) => row.endsWith('"}'));
    assert.deepEqual(new Set(whole.map(idOf)), new Set(expected));
  });
});
