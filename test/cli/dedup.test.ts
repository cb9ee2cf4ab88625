import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ended, hapax, shell, start, type Ran } from './hapax.ts';

type Counts = Record<string, number>;

describe('hapax dedup', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'hapax-dedup-'))));
  after(() => rm(folder, { recursive: true }));

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  }
  const dedup = (args: readonly string[], input?: string | Uint8Array) =>
    hapax(['dedup', '--summary', 'json', ...args], input);
  const text = (name: string) => readFile(join(folder, name), 'utf8');

  describe('first copies go out, byte for byte and in order', () => {
    const spelled =
      '{"event_id":"a", "n": 1.0}\r\n{ "event_id" : "b\\u0061" }\n{"event_id":12345678901234567890}\n';

    test('copies of one file', async () => {
      const ran = await dedup([], `${spelled}{"event_id":"ba"}\n${spelled}`);
      assert.equal(ran.out.toString(), spelled);
      counted(ran, { received: 7, first: 3, duplicate: 4, emitted: 3, dropped: 4 });
    });

    test('without duplicates the output is the input', async () => {
      const inputs = {
        plain: spelled,
        unterminated: `${spelled}{"event_id":"c"}`,
        marked: `\uFEFF${spelled}`,
        blank: `\n\n{"event_id":1}\n \r\n{"event_id":2}\n\n\n`,
        nothing: '',
        'only blank': '\n\n',
      };
      for (const [name, content] of Object.entries(inputs)) {
        const path = await file('same', content);
        assert.equal((await dedup([path])).out.toString(), content, name);
        assert.equal((await dedup(['-'], content)).out.toString(), content, `${name}, from standard input`);
        assert.equal(
          (await shell('hapax dedup < same', folder)).out.toString(),
          content,
          `${name}, redirected`,
        );
        assert.equal((await dedup([path, '--output', join(folder, 'out')])).code, 0);
        assert.equal(await text('out'), content, `${name}, into a file`);
      }
    });

    test('files one after another, with a line feed only where it is needed; a second copy is known over files', async () => {
      const paths = [
        await file('a', '{"event_id":1}'),
        await file('b', ''),
        await file('c', '{"event_id":1}\n{"event_id":2}'),
      ];
      const ran = await dedup(paths);
      assert.equal(ran.out.toString(), '{"event_id":1}\n{"event_id":2}');
      counted(ran, { received: 3, first: 2, duplicate: 1, emitted: 2, dropped: 1 });
    });

    test('gzip in and out, by ending', async () => {
      const path = await file('in.gz', Buffer.concat([gzipSync(spelled), gzipSync(spelled)]));
      assert.equal((await dedup([path, '--output', join(folder, 'out.gz')])).code, 0);
      assert.equal(gunzipSync(await readFile(join(folder, 'out.gz'))).toString(), spelled);
    });

    test('many events over many batches', async () => {
      const lines = Array.from({ length: 60_000 }, (_, i) => `{"event_id":${i},"pad":"${'x'.repeat(60)}"}`);
      const copies = lines.flatMap((line, i) => (i % 7 === 3 ? [line, lines[i >> 1]] : [line]));
      const ran = await dedup(['-'], copies.join('\n'));
      assert.ok(ran.out.equals(Buffer.from(lines.join('\n'))));
      counted(ran, { received: copies.length, first: lines.length, duplicate: copies.length - lines.length });
    });
  });

  describe('identity', () => {
    test('pointer and scope', async () => {
      const ran = await dedup(
        ['--id', '/meta/id', '--scope', '/tenant'],
        '{"tenant":1,"meta":{"id":1}}\n{"tenant":2,"meta":{"id":1}}\n{"meta":{"id":1},"tenant":1}\n',
      );
      counted(ran, { received: 3, first: 2, duplicate: 1 });
    });

    test('lines, where a blank one is one too', async () => {
      for (const option of [['--lines'], ['--id', 'line']]) {
        const ran = await dedup(option, 'b\na\r\n\nb\n\na\n');
        assert.equal(ran.out.toString(), 'b\na\r\n\n');
        counted(ran, { received: 6, first: 3, duplicate: 3, blank: 0 });
      }
    });

    test('by name', async () => {
      counted(
        await dedup(
          ['--id', 'cloudevents'],
          '{"id":"1","source":"a"}\n{"id":"1","source":"b"}\n{"id":"1","source":"a"}\n',
        ),
        { first: 2, duplicate: 1 },
      );
      counted(await dedup(['--id', 'segment'], '{"messageId":"1"}\n{"messageId":"1"}\n'), {
        first: 1,
        duplicate: 1,
      });
    });
  });

  describe('what has no usable id', () => {
    const bad = {
      malformed: '{"event_id":',
      missing: '{"other":1}',
      null: '{"event_id":null}',
      blank: '{"event_id":" "}',
      type: '{"event_id":[1]}',
    };
    const input = Object.values(bad).join('\n') + '\n{"event_id":1}\n';

    test('stops the run without a place for it, with its line', async () => {
      const ran = await dedup([], '{"event_id":1}\n\n{"event_id":2}\nnonsense\n{"event_id":3}\n');
      failed(ran, 1, 'HPX-I003', 'standard input, line 4', '--dead-letter');
      assert.equal(ran.out.toString(), '{"event_id":1}\n\n{"event_id":2}\n');
    });

    test('is dead-lettered with its reason and bytes, and what stands behind gets through', async () => {
      const ran = await dedup(['--dead-letter', join(folder, 'dead')], input);
      assert.equal(ran.out.toString(), '{"event_id":1}\n');
      counted(ran, { received: 6, first: 1, unidentified: 5, emitted: 1, dead_lettered: 5 });
      assert.deepEqual(
        (await letters('dead')).map(({ code, reason, partition, body }) => [code, reason, partition, body]),
        Object.entries(bad).map(([reason, body]) => ['unidentified', reason, '-', body]),
      );
    });

    test('passes, or goes by its content, if that is asked for', async () => {
      counted(await dedup(['--unidentified', 'pass'], input + input), {
        received: 12,
        first: 1,
        duplicate: 1,
        unidentified: 10,
        emitted: 11,
      });
      counted(await dedup(['--unidentified', 'fingerprint'], input + input), {
        received: 12,
        first: 6,
        duplicate: 6,
      });
    });

    test('exit 1 if that is asked for', async () => {
      const args = ['--dead-letter', join(folder, 'dead')];
      assert.equal((await dedup([...args, '--fail-on-dead-letter'], input)).code, 1);
      assert.equal((await dedup([...args, '--fail-on-dead-letter'], '{"event_id":1}\n')).code, 0);
    });

    async function letters(name: string): Promise<Record<string, string>[]> {
      const lines = (await text(name)).trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Record<string, string>);
    }

    test('bytes that are not UTF-8 come back as base64', async () => {
      const ran = await dedup(
        ['--dead-letter', join(folder, 'dead')],
        Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
      );
      assert.equal(ran.code, 0);
      const [{ reason, body_base64: body }] = await letters('dead');
      assert.deepEqual(
        [reason, body],
        ['encoding', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]).toString('base64')],
      );
    });

    test('huge lines, deep nesting, NUL and lone surrogates end nothing', async () => {
      const odd = [
        `{"event_id":"huge","x":"${'x'.repeat(17_000_000)}"}`,
        `{"event_id":"deep","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
        `{"event_id":"nul","x":"\0"}`,
        '{"event_id":"\\u0000"}',
        '{"event_id":"\\ud800"}',
        '{"event_id":"\\udc00"}',
      ];
      const ran = await dedup(['--dead-letter', join(folder, 'dead')], [...odd, ...odd.slice(3)].join('\n'));
      counted(ran, { received: 9, first: 4, duplicate: 3, unidentified: 2, dead_lettered: 2 });
      const [large, nul] = await letters('dead');
      assert.equal(large.reason, 'too_large');
      assert.ok(large.body.length <= 65_536);
      assert.deepEqual([nul.reason, nul.body], ['malformed', odd[2]]);
    });
  });

  test('where everything goes on, a huge line does too, byte for byte', async () => {
    const huge = `{"event_id":1}\n{"event_id":2,"x":"${'x'.repeat(17_000_000)}"}\r\n{"event_id":3}`;
    for (const option of [['--unidentified', 'pass'], ['--observe']]) {
      const ran = await dedup(option, huge);
      assert.ok(ran.out.equals(Buffer.from(huge)));
      counted(ran, { received: 3, first: 2, unidentified: 1, emitted: 3 });
    }
    const { err } = await hapax(['dedup', '--observe'], huge);
    assert.match(err, /unidentified +1 +too_large: 1/);
  });

  test('duplicates and conflicts have their own places', async () => {
    const input = '{"event_id":1,"at":1,"n":1}\n{"at":2,"n":1,"event_id":1}\n{"event_id":1,"at":3,"n":2}\n';
    const args = [
      '--body-check',
      '--body-exclude',
      '/at',
      '--duplicates',
      join(folder, 'copies'),
      '--dead-letter',
      join(folder, 'dead'),
    ];
    counted(await dedup(args, input), {
      received: 3,
      first: 1,
      duplicate: 1,
      conflict: 1,
      dead_lettered: 1,
      dropped: 1,
    });
    assert.equal(await text('copies'), '{"at":2,"n":1,"event_id":1}\n');
    assert.match(await text('dead'), /"code":"conflict"/);
  });

  test('conflicts that have no place to go are refused before anything is read', async () => {
    failed(
      await dedup(['--body-check'], '{"event_id":1}\n'),
      2,
      'HPX-C008',
      '--body-check needs --dead-letter',
    );
  });

  test('a window that follows the events, or a clock that stands still', async () => {
    const at = (id: number, time: string) => `{"event_id":${id},"time":"2026-01-${time}Z"}\n`;
    const input = at(1, '01T00:00:00') + at(2, '01T12:00:00') + at(3, '09T00:00:00') + at(4, '02T00:00:00');
    counted(await dedup(['--event-time', '/time'], input), { received: 4, first: 3, late: 1, emitted: 4 });
    const still = ['--event-time', '/time', '--now', '2026-01-03T06:00:00Z', '--late', 'drop'];
    counted(await dedup(still, input), { received: 4, first: 3, late: 1, emitted: 3, dropped: 1 });
  });

  describe('events without a time of their own', () => {
    const at = '{"event_id":1,"time":"2026-01-01T00:00:00Z"}\n';
    const without = '{"event_id":2,"time":"yesterday"}\n{"event_id":3}\nbad\n';
    const args = ['--event-time', '/time', '--unidentified', 'pass'];

    test('are counted, unless they have no id either', async () => {
      counted(await dedup(args, at + without), { received: 4, first: 3, without_time: 2 });
      counted(await dedup(args, at), { received: 1, without_time: 0 });
      assert.ok(!('without_time' in countsOf(await dedup([], at))));
    });

    test('are told; where no event has one, it is said that the clock counted', async () => {
      const remark = 'no event has a time of its own: the window went by the clock';
      const some = await hapax(['dedup', ...args], at + without);
      assert.match(some.err, /events without a time of their own: 2\n/);
      assert.ok(!some.err.includes(remark));
      assert.ok((await hapax(['dedup', ...args], without)).err.includes(remark));
      for (const input of [at, '', 'bad\n'])
        assert.doesNotMatch((await hapax(['dedup', ...args], input)).err, /time of their own|no event has/);
    });
  });

  test('observe counts and lets everything go on', async () => {
    const input = '{"event_id":1}\n{"event_id":1}\nbad\n{"event_id":2}\n';
    const ran = await dedup(['--observe'], input);
    assert.equal(ran.out.toString(), input);
    counted(ran, { received: 4, first: 2, duplicate: 1, unidentified: 1, emitted: 4, dropped: 0 });
  });

  test('observe compares with the verdict of another dedup', async () => {
    const their = [undefined, true, 'duplicate', 'first', true];
    const lines = [1, 1, 1, 1, 2].map((id, i) =>
      JSON.stringify({ event_id: id, other: { dedup: their[i] } }),
    );
    const { code, err } = await dedup(['--observe', '--agree', '/other/dedup'], lines.join('\n'));
    assert.equal(code, 0);
    const { agree } = JSON.parse(err) as { agree: unknown };
    assert.deepEqual(agree, {
      both: 2,
      neither: 1,
      only_ours: { count: 1, samples: [{ partition: '-', offset: lines.slice(0, 3).join('\n').length + 1 }] },
      only_theirs: {
        count: 1,
        samples: [{ partition: '-', offset: lines.slice(0, 4).join('\n').length + 1 }],
      },
    });
  });

  describe('input and output that fail', () => {
    test('a missing file or a folder: nothing is written', async () => {
      const path = await file('fine', '{"event_id":1}\n');
      for (const [wrong, why] of [
        ['missing', 'missing: ENOENT'],
        ['.', 'directory'],
      ]) {
        const ran = await dedup([path, join(folder, wrong), '--output', join(folder, 'never')]);
        failed(ran, 1, 'HPX-I001', why);
        await assert.rejects(stat(join(folder, 'never')), { code: 'ENOENT' });
      }
      assert.deepEqual(await partials(), []);
    });

    test('a fault before the first event is told alone, one behind it after the report', async () => {
      const none = await hapax(['dedup', join(folder, 'missing')]);
      assert.match(none.err, /^error HPX-I001: /);
      const some = await hapax(['dedup'], '{"event_id":1}\nbad\n');
      assert.match(some.err, /^2 events received[^]+\nerror HPX-I003: /);
    });

    test('damaged gzip: what could be read comes out, and a file keeps what it had', async () => {
      const lines = Array.from({ length: 20_000 }, (_, i) => `{"event_id":${i * 7919}}\n`).join('');
      const whole = gzipSync(lines);
      const path = await file('short.gz', whole.subarray(0, whole.length - 20));
      const ran = await dedup([path]);
      failed(ran, 1, 'HPX-I002', 'short.gz');
      assert.ok(lines.startsWith(ran.out.toString()));
      assert.ok(ran.out.toString().length > lines.length / 2);
      const output = await file('kept', 'old');
      failed(await dedup([path, '--output', output]), 1, 'HPX-I002', 'short.gz');
      assert.equal(await text('kept'), 'old');
    });

    test('UTF-16', async () => {
      failed(await dedup([], Buffer.from('\uFEFF{"event_id":1}\n', 'utf16le')), 1, 'HPX-I004', 'UTF-16');
    });

    test('a full disk, however it is reached', async () => {
      const path = await file('fine', '{"event_id":1}\n{"event_id":1}\nbad\n');
      for (const line of [
        `hapax dedup ${path} --unidentified pass > /dev/full`,
        `hapax dedup ${path} --unidentified pass --output /dev/full`,
        `hapax dedup ${path} --unidentified pass --duplicates /dev/full`,
        `hapax dedup ${path} --dead-letter /dev/full`,
      ])
        failed(await shell(line, folder), 1, 'HPX-O001', 'ENOSPC');
    });

    test('an output that cannot be opened', async () => {
      failed(await dedup(['--output', join(folder, 'none', 'out')], ''), 1, 'HPX-O001', 'ENOENT');
      failed(await dedup(['--dead-letter', folder], ''), 1, 'HPX-O001', 'EISDIR');
    });

    test('a closed pipe is a clean end', async () => {
      const lines = Array.from({ length: 50_000 }, (_, i) => `{"event_id":${i},"x":"${'x'.repeat(50)}"}\n`);
      await file('long', lines.join(''));
      const ran = await shell('hapax dedup long --quiet | head -n 1; exit ${PIPESTATUS[0]}', folder);
      assert.deepEqual([ran.code, ran.out.toString(), ran.err], [0, lines[0], '']);
    });

    test('what a killed run leaves goes with the next one, what a living one has stays', async () => {
      const output = join(folder, 'long-lived');
      const begin = async () => {
        const child = start(['dedup', '--output', output, '--duplicates', '-']);
        child.stdin?.write('{"event_id":1}\n{"event_id":1}\n');
        await once(child.stdout!, 'data');
        return child;
      };
      const killed = await begin();
      const left = await partials();
      assert.equal(left.length, 1);
      killed.kill('SIGKILL');
      await once(killed, 'close');
      assert.deepEqual(await partials(), left);

      const living = await begin();
      assert.equal((await partials()).length, 1);
      assert.equal((await dedup(['--output', output], '{"event_id":2}\n')).code, 0);
      assert.equal((await partials()).length, 1);
      const ran = ended(living);
      living.stdin?.end();
      assert.equal((await ran).code, 0, (await ran).err);
      assert.equal(await text('long-lived'), '{"event_id":1}\n');
      assert.deepEqual(await partials(), []);
    });

    test('a failed run leaves the old output as it was', async () => {
      const path = await file('kept', 'old');
      assert.equal((await dedup(['--output', path], '{"event_id":1}\nbad\n')).code, 1);
      assert.equal(await text('kept'), 'old');
      assert.deepEqual(await partials(), []);
    });
  });

  describe('wrong usage is refused with 2', () => {
    const wrong: Record<string, [args: string[], code: string, ...parts: string[]]> = {
      'a misspelled option': [['--outptu', 'x'], 'HPX-C003', 'Did you mean --output?'],
      'a window without unit': [['--window', '48'], 'HPX-C001'],
      'a window of nothing': [['--window', '0h'], 'HPX-C001'],
      'an id that is no pointer': [['--id', 'event_id'], 'HPX-C002'],
      'a header as id': [['--id', 'header:x-id'], 'HPX-C005'],
      'a policy that is none': [['--late', 'perhaps'], 'HPX-C005', 'pass, drop, dead-letter'],
      'a time that is none': [['--now', 'yesterday'], 'HPX-C004'],
      'lines with an id': [['--lines', '--id', '/x'], 'HPX-C006', '--lines and --id'],
      'observe with a policy': [['--observe', '--late', 'drop', '--event-time', '/t'], 'HPX-C006'],
      'late without a time': [['--late', 'drop'], 'HPX-C008', '--late needs --event-time'],
      'dead letters without a place': [['--unidentified', 'dead-letter'], 'HPX-C008', '--dead-letter'],
      'two outputs in one place': [['--output', 'x', '--duplicates', './x'], 'HPX-C006'],
      'two outputs to standard output': [['--duplicates', '-'], 'HPX-C006'],
      'a value that is missing': [['--output'], 'HPX-C005'],
    };
    for (const [name, [args, code, ...parts]] of Object.entries(wrong))
      test(name, async () => {
        failed(await dedup(args), 2, code, ...parts);
      });

    test('the same file twice, or as input and output', async () => {
      const path = await file('input', '{"event_id":1}\n');
      failed(await dedup([path, path]), 2, 'HPX-C006');
      failed(await dedup([path, '--output', `${folder}/./input`]), 2, 'HPX-C006');
      failed(await shell('hapax dedup input >> input', folder), 2, 'HPX-C006');
      assert.equal(await text('input'), '{"event_id":1}\n');
    });

    test('whatever a place is called: a standard stream, a pipe, a device', async () => {
      await file('input', '{"event_id":1}\n');
      const refused = {
        'hapax dedup --output input < input': 'standard input and input',
        'hapax dedup --dead-letter input < input': 'standard input and input',
        'hapax dedup - < input >> input': 'standard input and standard output',
        'hapax dedup input - < input': 'input and standard input',
        'hapax dedup pipe ./pipe': 'pipe and ./pipe',
        'hapax dedup pipe --output pipe': '--output are the same: pipe',
        'hapax dedup --output pipe --duplicates ./pipe': '--output and --duplicates',
        'hapax dedup /dev/null /dev/null': 'FILE and FILE are the same: /dev/null',
      };
      await shell('mkfifo pipe', folder);
      for (const [line, why] of Object.entries(refused))
        failed(await shell(line, folder), 2, 'HPX-C006', why);
      assert.equal(await text('input'), '{"event_id":1}\n');
      const allowed = 'hapax dedup --output /dev/null --duplicates /dev/null < /dev/null';
      assert.equal((await shell(allowed, folder)).code, 0);
    });
  });

  describe('signals', () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      test(`${signal} finishes what was read and ends with 0`, async () => {
        const child = start(['dedup', '--summary', 'json']);
        const ran = ended(child);
        child.stdin?.write('{"event_id":1}\n{"event_id":2}\n');
        await once(child.stdout!, 'data');
        child.kill(signal);
        assert.equal((await ran).code, 0);
        assert.equal((await ran).out.toString(), '{"event_id":1}\n{"event_id":2}\n');
        assert.equal(countsOf(await ran).in_flight, 0);
      });

    test('SIGTERM ends a wait for somebody who writes to a pipe', { timeout: 60_000 }, async (t) => {
      await shell('mkfifo silent', folder);
      const child = start(['dedup', await file('first', '{"event_id":1}\n'), join(folder, 'silent')]);
      t.after(() => child.kill('SIGKILL'));
      const ran = ended(child);
      await once(child.stdout!, 'data');
      child.kill('SIGTERM');
      assert.equal((await ran).code, 0);
    });

    test('the second one ends at once with 130, and leaves no partial output', async () => {
      const path = await file(
        'long',
        Array.from({ length: 300_000 }, (_, i) => `{"event_id":${i}}\n`).join(''),
      );
      const child = start(['dedup', path, '--duplicates', join(folder, 'copies-of-long')]);
      let told = '';
      child.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
      child.stdout?.once('data', () => child.stdout?.pause());
      await once(child.stdout!, 'pause');
      child.kill('SIGINT');
      await new Promise((resolve) => setTimeout(resolve, 50));
      child.kill('SIGINT');
      const [code] = (await once(child, 'exit')) as [number | null];
      assert.equal(code, 130);
      assert.doesNotMatch(told, /error/);
      assert.deepEqual(await partials(), []);
    });
  });

  describe('what people see', () => {
    test('a report, unless it is not wanted', async () => {
      const ran = await hapax(['dedupe'], '{"event_id":1}\n{"event_id":1}\n');
      assert.match(ran.err, /2 events received/);
      assert.match(ran.err, /duplicate +1 +under 1 s: 1/);
      assert.match(ran.err, /the books balance/);
      assert.ok(!ran.err.includes('\x1b'));
      assert.equal((await hapax(['dedup', '--quiet'], '{"event_id":1}\n')).err, '');
    });

    test('every count of the balance as one line of JSON, zeros too', async () => {
      const ran = await dedup([], '\n');
      assert.equal(ran.err.trim().split('\n').length, 1);
      assert.deepEqual(countsOf(ran), {
        received: 0,
        first: 0,
        resumed: 0,
        duplicate: 0,
        conflict: 0,
        late: 0,
        unidentified: 0,
        unchecked: 0,
        in_flight: 0,
        emitted: 0,
        dead_lettered: 0,
        dropped: 0,
        blank: 1,
      });
    });
  });

  const partials = async () => (await readdir(folder)).filter((name) => name.endsWith('.partial'));
});

describe('hapax', () => {
  test('help begins with examples', async () => {
    for (const args of [['--help'], ['dedup', '--help'], ['help', 'dedup']]) {
      const { code, out } = await hapax(args);
      assert.equal(code, 0);
      assert.match(out.toString(), /^Examples:\n {2}\$ hapax dedup/);
    }
  });

  test('help tells about an error by its code', async () => {
    const { code, out } = await hapax(['help', 'hpx-i003']);
    assert.equal(code, 0);
    assert.match(out.toString(), /^HPX-I003: an event has no usable id/);
    failed(await hapax(['help', 'HPX-X999']), 2, 'HPX-C003');
  });

  test('what is wrong names the help that tells more', async () => {
    const helps = { 'dedup --outptu': 'dedup --help', dedpu: '--help', 'help a b': 'help --help' };
    for (const [line, help] of Object.entries(helps)) {
      const { err } = await hapax(line.split(' '));
      assert.ok(err.includes(`\n  see hapax ${help}\n`), err);
    }
  });

  test('the version', async () => {
    assert.match((await hapax(['--version'])).out.toString(), /^\d+\.\d+\.\d+/);
  });

  test('a misspelled command is refused with the nearest name, none with the help', async () => {
    failed(await hapax(['dedpu']), 2, 'HPX-C003', 'Did you mean');
    const none = await hapax([]);
    assert.equal(none.code, 2);
    assert.match(none.err, /Usage: hapax/);
  });
});

function countsOf({ err }: Ran): Counts {
  const line = err.split('\n').find((it) => it.startsWith('{'));
  return JSON.parse(line ?? '{}') as Counts;
}

/** These counts, a clean end, and books that balance. */
function counted(ran: Ran, expected: Counts): void {
  const counts = countsOf(ran);
  assert.equal(ran.code, 0, ran.err);
  assert.deepEqual({ ...counts, ...expected }, counts);
  const { received, first, resumed, duplicate, conflict, late, unidentified, unchecked } = counts;
  assert.equal(received, first + resumed + duplicate + conflict + late + unidentified + unchecked);
  assert.equal(received, counts.emitted + counts.dead_lettered + counts.dropped);
}

/** An error with its code and what it should say, and no stack trace. */
function failed({ code, err }: Ran, exit: number, error: string, ...parts: string[]): void {
  assert.equal(code, exit, err);
  for (const part of [`error ${error}: `, `hapax help ${error}`, ...parts])
    assert.ok(err.includes(part), err);
  assert.doesNotMatch(err, /\n\s+at .*[:(]/, 'a stack trace');
}
