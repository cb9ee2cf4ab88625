import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { Explained, Forgotten, Rewound } from '../../src/http/contract.ts';
import { ended, start } from '../cli/hapax.ts';
import { Site, until } from './ops-site.ts';

const lines = (text: string) => text.trim().split('\n').filter(Boolean).length;

describe('operations without a worker', () => {
  test('a pipeline that never ran can be asked, and nothing is made by it', async (t) => {
    const site = await Site.open(t);
    await site.append('events.ndjson', 'a');
    const { running, books, store, partitions } = await site.status();
    assert.deepEqual([running, books.received, store, partitions.total], [false, 0, null, 0]);
    assert.equal((await site.json<Explained>('explain', 'a')).state, 'none');
    assert.equal((await site.json<Forgotten>('forget', 'a')).state, 'none');
    assert.equal((await site.run('rewind', '--partition', 'events.ndjson', '--to', 'start')).code, 2);
    assert.deepEqual((await site.json<Rewound>('rewind', '--all', '--to', 'start')).moved, []);
    assert.equal((await site.run('check')).code, 0);
    for (const name of ['state', 'unique.ndjson', 'unique.ndjson.commits'])
      await assert.rejects(readFile(site.at(name)), /ENOENT/);
  });

  test('status, explain, forget and rewind between two runs', async (t) => {
    const site = await Site.open(t, { follow: false });
    await site.append('events.ndjson', 'a', 'b', 'a', 7);
    assert.equal((await site.runToEnd()).code, 0);
    const { books, store, partitions, input } = await site.status();
    assert.deepEqual([books.received, books.first, books.duplicate, store?.marks], [4, 3, 1, 3]);
    const [{ partition, checkpoint, writer, epoch }] = partitions.items;
    assert.deepEqual([partition, checkpoint, writer], [site.at('events.ndjson'), input.size_bytes, epoch]);

    const [{ state, owner, read_as }] = (await site.json<Explained>('explain', '7')).sights;
    assert.deepEqual([state, owner, read_as.id], ['settled', null, 'number']);
    assert.equal((await site.json<Forgotten>('forget', 'b')).state, 'forgotten');
    assert.equal((await site.json<Explained>('explain', 'b')).state, 'none');
    const { moved } = await site.json<Rewound>('rewind', '--partition', 'events.ndjson', '--to', 'start');
    assert.deepEqual(moved, [{ partition, from: input.size_bytes, to: 0 }]);
    assert.equal((await site.status()).partitions.items[0].writer, null);

    await site.runToEnd();
    const after = (await site.status()).books;
    assert.deepEqual([after.received, after.first, after.duplicate], [8, 4, 4], 'booked again, b as a first');
    assert.equal(lines(await site.read('unique.ndjson')), 4);
  });

  test('after a kill a rewind settles what was committed, and nothing is written twice', async (t) => {
    const site = await Site.open(t);
    await site.append('events.ndjson', ...Array.from({ length: 500 }, (_, n) => n));
    const worker = await site.work(500);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    assert.equal((await site.status()).running, false);
    assert.equal((await site.run('rewind', '--all', '--to', 'start')).code, 0);
    await site.work(1_000);
    assert.equal(lines(await site.read('unique.ndjson')), 500);
  });

  test('an offset beyond what is committed is refused, and with --force it skips', async (t) => {
    const site = await Site.open(t, { follow: false });
    await site.append('events.ndjson', 'a', 'b');
    await site.runToEnd();
    await site.append('events.ndjson', 'c', 'd');
    const to = String(3 * '{"id":"a"}\n'.length);
    const refused = await site.run('rewind', '--partition', 'events.ndjson', '--to', to);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /HPX-C023: .*22 is committed, 33 is 11 bytes beyond/);
    const forced = await site.run('rewind', '--partition', 'events.ndjson', '--to', to, '--force');
    assert.match(forced.out.toString(), /from 22 to 33, 11 bytes are skipped/);
    await site.runToEnd();
    assert.equal(await site.read('unique.ndjson'), '{"id":"a"}\n{"id":"b"}\n{"id":"d"}\n');
  });

  test('commands that come at once wait for each other', async (t) => {
    const site = await Site.open(t, { follow: false });
    await site.append('events.ndjson', 'a', 'b', 'c');
    await site.runToEnd();
    const all = await Promise.all([
      site.json<Forgotten>('forget', 'a'),
      site.json<Forgotten>('forget', 'b'),
      site.json<Rewound>('rewind', '--all', '--to', 'start'),
      site.json('status'),
    ]);
    assert.deepEqual(all.map(({ code }) => code), [0, 0, 0, 0]); // prettier-ignore
    assert.deepEqual([all[0].state, all[1].state], ['forgotten', 'forgotten']);
    assert.equal((await site.json<Explained>('explain', 'c')).state, 'settled');
  });

  test('a memory store cannot be asked', async (t) => {
    const site = await Site.open(t);
    const text = await site.read('hapax.yaml');
    await writeFile(site.config, text.replace(/store: .*/, 'store: { memory: {} }'));
    for (const args of [
      ['status'],
      ['explain', 'a'],
      ['forget', 'a'],
      ['rewind', '--all', '--to', 'start'],
    ]) {
      const { code, err } = await site.run(args[0], ...args.slice(1));
      assert.deepEqual([code, /HPX-C\d+/.exec(err)?.[0]], [78, 'HPX-C021'], args[0]);
    }
  });

  test('a wrong command is told with its hint', async (t) => {
    const site = await Site.open(t);
    const wrong: [string[], number, string][] = [
      [['rewind', '--to', 'start'], 2, 'HPX-C008'],
      [['rewind', '--all', '--to', '7'], 2, 'HPX-C006'],
      [['rewind', '--all', '--partition', 'p', '--to', 'start'], 2, 'HPX-C006'],
      [['rewind', '--partition', 'p', '--to', '1e3'], 2, 'HPX-C005'],
      [['explain', 'a', '--scope', 'x'], 78, 'HPX-C010'],
    ];
    await site.append('events.ndjson', 'a');
    for (const [[command, ...args], exit, error] of wrong) {
      const { code, err } = await site.run(command, ...args);
      assert.deepEqual([code, /HPX-C\d+/.exec(err)?.[0]], [exit, error], err);
    }
  });
});

describe('explain --search', () => {
  test('tells where copies and dead letters are, how far it looked, and never what is in them', async (t) => {
    const site = await Site.open(t, { follow: false });
    await writeFile(
      site.at('events.ndjson'),
      '{"id":"a","secret":"x"}\n{"id":"b"}\r\n{"id":"a","secret":"x"}\n{"secret":"y"}\n{"id":"a","secret":"x"}',
    );
    await site.runToEnd();
    const { out } = await site.run('explain', 'a', '--search');
    assert.match(out.toString(), /put aside: 2 copies\n {2}duplicates {2}\S+ at byte 0\n.* at byte 24\n/);
    assert.match(out.toString(), /looked through .* in 2 files: that is all there is/);
    assert.doesNotMatch(out.toString(), /secret|"x"/);
    const { search } = await site.json<{ search: Record<string, unknown> }>('explain', 'b', '--search');
    const size = (await readFile(site.at('duplicates.ndjson'))).length + (await readFile(site.at('dead.ndjson'))).length; // prettier-ignore
    assert.deepEqual(search, { matches: [], files: 2, bytes: size, files_total: 2, bytes_total: size, stopped: 'end' }); // prettier-ignore
  });

  test('finds a dead letter by the id of its body, and stops when it has enough', async (t) => {
    const site = await Site.open(t, { follow: false, more: 'policies: { conflict: dead-letter }' });
    const text = await site.read('hapax.yaml');
    await writeFile(site.config, text.replace('scope: []', 'scope: [], body_check: true'));
    const copies = Array.from({ length: 30 }, (_, n) => `{"id":"a","n":${n}}\n`).join('');
    await writeFile(site.at('events.ndjson'), `${copies}{"id":"b"}\n`);
    await site.runToEnd();
    const { search } = await site.json<{ search: { stopped: string; matches: Record<string, unknown>[] } }>(
      'explain',
      'a',
      '--search',
    );
    assert.deepEqual([search.stopped, search.matches.length], ['enough', 20]);
    const { output, at, letter } = search.matches[0];
    assert.deepEqual([output, at], ['dead_letter', 0]);
    assert.deepEqual(Object.keys(letter as object), ['code', 'reason', 'time', 'partition', 'offset', 'attempt']); // prettier-ignore
  });
});

describe('hapax check', () => {
  test('finds what is wrong with each part, and says so to programs', async (t) => {
    const site = await Site.open(t, { follow: false });
    const found = async () => {
      const { findings, code } = await site.json<{
        findings: { part: string; severity: string; code?: string }[];
      }>('check');
      const wrong = findings.filter(({ severity }) => severity === 'error');
      return [code, ...wrong.map((it) => `${it.part} ${it.code ?? ''}`)];
    };
    assert.deepEqual(await found(), [1, 'source HPX-I001'], 'there is no file');
    await site.append('events.ndjson', 'a');
    assert.deepEqual(await found(), [0]);
    await utimes(site.at('events.ndjson'), 1_000, 1_000);
    assert.deepEqual(await found(), [1, 'window HPX-C024']);
    assert.equal((await site.run('check', '--confirm', 'HPX-C024')).code, 0);
    await writeFile(site.at('unique.ndjson'), 'of somebody else\n');
    assert.deepEqual(await found(), [78, 'outputs HPX-O004', 'window HPX-C024']);
    await rm(site.at('unique.ndjson'));
    await site.runToEnd();
    await rm(site.at('state/store.json'));
    assert.deepEqual(await found(), [78, 'state HPX-S005', 'window HPX-C024']);
    await writeFile(site.config, 'pipeline: orders\n');
    assert.equal((await site.run('check')).code, 78);
  });
});

describe('hapax store', () => {
  test('stats and verify, of a directory or a configuration, with and without a worker', async (t) => {
    const site = await Site.open(t);
    await site.append('events.ndjson', 'a', 'b', 'a');
    const told = async (place: string, verb: string) => {
      const { code, out, err } = await ended(start(['store', verb, place, '--json']));
      assert.equal(err, '');
      const found = JSON.parse(out.toString()) as Record<string, unknown>;
      return { ...found, code } as Record<string, unknown>;
    };
    const worker = await site.work(3);
    for (const place of [site.config, site.at('state')]) {
      assert.deepEqual(await told(place, 'stats').then((it) => [it.code, it.running, it.marks]), [
        0,
        true,
        2,
      ]);
      assert.deepEqual(await told(place, 'verify').then((it) => [it.code, it.running, it.damaged]), [0, true, null]); // prettier-ignore
    }
    worker.kill('SIGTERM');
    await once(worker, 'exit');
    const { window_ms: window, marks } = await told(site.at('state'), 'stats');
    assert.deepEqual([window, marks], [null, 2]);
    const file = site.at('state/window-00000001.log');
    const bytes = await readFile(file);
    bytes[bytes.length >> 1] ^= 1;
    await writeFile(file, bytes);
    const damaged = await told(site.config, 'verify');
    assert.deepEqual([damaged.code, (damaged.damaged as { path: string }).path], [1, file]);
  });
});

describe('operations beside a worker', () => {
  test('status, explain and forget go through it', async (t) => {
    const site = await Site.open(t);
    await site.append('events.ndjson', 'a', 'b', 'a');
    const worker = await site.work(3);
    const status = await site.status();
    assert.deepEqual([status.running, status.process], [true, worker.pid]);
    assert.deepEqual([status.input.done, status.input.done_bytes], [1, status.input.size_bytes]);
    assert.equal((await site.json<Explained>('explain', 'a')).state, 'settled');
    assert.equal((await site.json<Forgotten>('forget', 'a')).state, 'forgotten');
    await site.append('events.ndjson', 'a');
    await site.received(4);
    assert.equal((await site.status()).books.first, 3);
    assert.equal((await site.run('explain', 'a', '--search')).code, 0);
    assert.equal((await site.run('check')).code, 0);
    worker.kill('SIGTERM');
    assert.deepEqual(await once(worker, 'exit'), [0, null]);
  });

  test('a rewind ends the session of its partition only, and the worker reads on from there', async (t) => {
    const site = await Site.open(t);
    await site.append('events-1.ndjson', 'a', 'b');
    await site.append('events-2.ndjson', 'c');
    await site.work(3);
    const epochs = async () => (await site.status()).partitions.items.map(({ epoch }) => epoch);
    const before = await epochs();
    assert.equal((await site.run('rewind', '--partition', 'events-1.ndjson', '--to', '11')).code, 0);
    await site.received(4);
    const after = await epochs();
    assert.deepEqual([after[0] > before[0], after[1]], [true, before[1]]);
    await Promise.all([
      site.json<Rewound>('rewind', '--all', '--to', 'start'),
      site.json<Rewound>('rewind', '--all', '--to', 'start'),
    ]);
    await site.append('events-2.ndjson', 'd');
    await until(async () => (await site.read('unique.ndjson')).includes('"d"'));
    assert.equal(lines(await site.read('unique.ndjson')), 4);
    const refused = await site.run('rewind', '--partition', 'events-3.ndjson', '--to', 'start');
    assert.deepEqual([refused.code, /HPX-C\d+/.exec(refused.err)?.[0]], [2, 'HPX-C022']);
  });

  test('a worker that dies before it has read a request was not asked: the command does without it', async (t) => {
    if (process.platform !== 'linux') return t.skip('it looks into /proc');
    const site = await Site.open(t);
    await site.append('events.ndjson', 'a');
    const worker = await site.work(1);
    // It stands still: connections are accepted by the system, and nobody answers.
    worker.kill('SIGSTOP');
    const asked = ended(start(['explain', site.config, 'a', '--json']));
    const connections = async () =>
      (await readFile('/proc/net/unix', 'utf8')).split('\n').filter((line) => line.includes(site.folder))
        .length;
    // The socket itself, the look whether somebody is there, and the request.
    await until(async () => (await connections()) >= 3);
    worker.kill('SIGKILL');
    const { code, out, err } = await asked;
    assert.equal(code, 0, err);
    assert.equal((JSON.parse(out.toString()) as Explained).state, 'settled');
  });

  test('garbage, floods and idlers on its socket do not hurt the worker', async (t) => {
    const site = await Site.open(t);
    await site.append('events.ndjson', 'a');
    const worker = await site.work(1);
    const dial = async (): Promise<Socket> => {
      const socket = connect(site.at('state/hapax.sock')).on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const closed = (socket: Socket) => new Promise((resolve) => socket.resume().on('close', resolve));
    const garbage = await dial();
    garbage.write(Buffer.alloc(1_000_000, 0xff));
    await closed(garbage);
    const flood = await dial();
    flood.write('POST /v1/forget HTTP/1.1\r\nhost: w\r\ntransfer-encoding: chunked\r\n\r\n');
    flood.write(`${(1_000_000).toString(16)}\r\n${'x'.repeat(1_000_000)}\r\n`);
    await closed(flood);
    const idlers = await Promise.all(Array.from({ length: 60 }, dial));
    await site.append('events.ndjson', 'b');
    await until(async () => (await site.read('unique.ndjson')).includes('"b"'));
    for (const idler of idlers) idler.destroy();
    await site.received(2);
    const idler = await dial();
    worker.kill('SIGTERM');
    assert.deepEqual(await once(worker, 'exit'), [0, null], 'nor its end');
    idler.destroy();
  });
});
