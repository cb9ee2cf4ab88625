import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { load } from '../../src/config/load.ts';
import { formatProblems } from '../../src/config/problems.ts';
import { policiesOf } from '../../src/config/policies.ts';
import { usualLimits, type Limits } from '../../src/core/limits.ts';
import { usualPolicies } from '../../src/core/policies.ts';
import { Desk, minimal, withSections } from './workshop.ts';

const desk = new Desk();

describe('a configuration becomes settings', () => {
  test('what is not written has the defaults of the engine', async () => {
    const { settings, folder, problems } = await desk.configuration(minimal);
    const limits: Limits = settings.limits;
    assert.deepEqual(limits, usualLimits);
    assert.deepEqual(policiesOf(settings), usualPolicies);
    assert.deepEqual(settings.identity, { id: '/event_id', scope: [], bodyCheck: false });
    assert.deepEqual(settings.source, {
      type: 'file',
      path: ['events.ndjson'],
      follow: false,
      lines: false,
      lineSizeMaxBytes: 16_777_216,
    });
    assert.equal(settings.windowMs, 172_800_000);
    assert.deepEqual(settings.store, { type: 'file', path: './state', whenFull: 'wait' });
    assert.deepEqual(settings.log, { level: 'info' });
    assert.equal(folder, desk.folder);
    assert.deepEqual(problems, []);
  });

  test('every setting arrives, with its unit in the name', async () => {
    const { settings } = await desk.configuration(
      `
pipeline: cart-analytics
source: { file: { path: [a.ndjson, "b/*.ndjson.gz"], follow: true, line_size_max: 1MB } }
identity:
  id: /meta/id
  scope: [/tenant, /source]
  body_check: { exclude: [/sent_at] }
  event_time: /time
window: 1h30m
expected_rate: 300/m
store: { file: { path: ./state, marks_max: 10_000_000, disk_max: 20GiB, when_full: shrink } }
sink: { file: { path: ./unique.ndjson } }
duplicates: { file: { path: ./duplicates.ndjson, keep: 30d } }
dead_letter: { file: { path: ./dead.ndjson, keep: 90d } }
policies:
  unidentified: fingerprint
  conflict: drop
  late: dead-letter
  store: pass
  held: take-over
  held_max: 1m
  sink: { dead_letter_after: 1h }
  observe: true
limits: { drain: 5s, batches_in_flight_max: 2, ahead_max: 3, waiting_max: 4, audit_every: 6s }
log: { level: debug }
`.replace('10_000_000', '10000000'),
    );
    assert.deepEqual(settings, {
      pipeline: 'cart-analytics',
      source: {
        type: 'file',
        path: ['a.ndjson', 'b/*.ndjson.gz'],
        follow: true,
        lines: false,
        lineSizeMaxBytes: 1_000_000,
      },
      identity: {
        id: '/meta/id',
        scope: ['/tenant', '/source'],
        bodyCheck: { exclude: ['/sent_at'] },
        eventTime: '/time',
      },
      windowMs: 5_400_000,
      expectedRatePerSecond: 5,
      store: {
        type: 'file',
        path: './state',
        marksMax: 10_000_000,
        diskMaxBytes: 21_474_836_480,
        whenFull: 'shrink',
      },
      sink: { type: 'file', path: './unique.ndjson' },
      duplicates: { type: 'file', path: './duplicates.ndjson', keepMs: 2_592_000_000 },
      deadLetter: { type: 'file', path: './dead.ndjson', keepMs: 7_776_000_000 },
      policies: {
        unidentified: 'fingerprint',
        conflict: 'drop',
        late: 'dead-letter',
        store: 'pass',
        held: 'take-over',
        heldMaxMs: 60_000,
        sink: { deadLetterAfterMs: 3_600_000 },
        observe: true,
      },
      limits: { drainMs: 5_000, batchesInFlightMax: 2, aheadMax: 3, waitingMax: 4, auditEveryMs: 6_000 },
      log: { level: 'debug' },
    });
  });

  test('what has no id under fingerprint all the same is put aside, or stops the pipeline', async () => {
    const text = withSections('policies: { unidentified: fingerprint }\n');
    assert.equal(policiesOf((await desk.configuration(text)).settings).unidentified, 'dead-letter');
    const without = text.replace(/^dead_letter.*\n/m, '');
    assert.equal(policiesOf((await desk.configuration(without)).settings).unidentified, 'stop');
  });

  test('a byte order mark and Windows line ends do no harm', async () => {
    const { settings } = await desk.configuration(`\uFEFF${minimal.replaceAll('\n', '\r\n')}`);
    assert.equal(settings.pipeline, 'shop');
  });

  test('true is a body check without exceptions', async () => {
    const { settings } = await desk.configuration(
      withSections('identity: { scope: [], body_check: true }\n'),
    );
    assert.deepEqual(settings.identity.bodyCheck, { exclude: [] });
  });
});

describe('a file that is no configuration is refused with a reason', () => {
  const refused = async (path: string) => formatProblems('hapax.yaml', (await load(path, {})).problems);

  test('it does not exist', async () => {
    assert.match(
      await refused(join(desk.folder, 'none.yaml')),
      /^hapax.yaml error HPX-C011: it does not exist\n/,
    );
  });
  test('it is a directory', async () => {
    const path = join(desk.folder, 'directory');
    mkdirSync(path);
    assert.match(await refused(path), /HPX-C011: it is a directory/);
  });
  test('it is too large', async () => {
    assert.match(await desk.told(`# ${'x'.repeat(1_048_576)}`), /HPX-C011: it is larger than 1 MiB/);
  });
  test('it is not UTF-8, and in which line', async () => {
    const text = Buffer.concat([
      Buffer.from('pipeline: a\nwindow: '),
      Buffer.of(0xff, 0x0a),
      Buffer.from('a: b\n'),
    ]);
    assert.match(await desk.told(text), /HPX-C011: it is not UTF-8 in line 2/);
  });
  test('it is UTF-16', async () => {
    assert.match(await desk.told(Buffer.from('\uFEFFpipeline: a\n', 'utf16le')), /HPX-C011: it is UTF-16/);
  });
  test('it is empty, or nothing but comments', async () => {
    for (const text of ['', '# nothing\n'])
      assert.match(
        await desk.told(text),
        /HPX-C015: the configuration must be a section with settings, not empty/,
      );
  });
  test('it is no section', async () => {
    assert.match(
      await desk.told('- a\n'),
      /HPX-C015: the configuration must be a section with settings, not a list/,
    );
  });
});

describe('each kind of mistake has its code, its place and its hint', () => {
  const cases: readonly (readonly [name: string, text: string, ...told: string[]])[] = [
    [
      'an unknown setting',
      'log: { levle: info }\n',
      '7:8 error HPX-C003: unknown setting "levle" in log',
      '^^^^^ did you mean "level"?',
    ],
    [
      'an unknown section',
      'polices: {}\n',
      '7:1 error HPX-C003: unknown setting "polices"',
      '^^^^^^^ did you mean "policies"?',
    ],
    [
      'an unknown adapter',
      'sink: { kafka: {} }\n',
      '6:9 error HPX-C003: unknown setting "kafka" in sink',
      '^^^^^ known here: file, stdout',
    ],
    [
      'two adapters',
      'store: { memory: {}, file: { path: x } }\n',
      '6:8 error HPX-C006: store must be one of file or memory, and only one, not a section with file, memory',
    ],
    [
      'no adapter',
      'sink: {}\n',
      '6:7 error HPX-C014: sink must be one of file or stdout, and only one, not an empty section',
    ],
    [
      'a setting that is missing',
      'sink: { file: {} }\n',
      '6:9 error HPX-C014: sink.file.path is missing: it must be a path',
      '^^^^',
    ],
    [
      'a number that is no duration',
      'window: 48\n',
      '7:9 error HPX-C001: window must be a duration like 48h or 1h30m (ms s m h d w), not 48',
      '^^',
    ],
    [
      'a text that is no duration',
      'window: 48 hours\n',
      '7:9 error HPX-C001: window must be',
      'not "48 hours"',
    ],
    ['no time at all', 'window: 0s\n', '7:9 error HPX-C001:'],
    [
      'a size without a unit',
      'store: { file: { path: x, disk_max: 20 } }\n',
      '6:37 error HPX-C016: store.file.disk_max must be a size like 2GiB',
      'not 20',
    ],
    ['a size of nothing', 'store: { file: { path: x, disk_max: 0GiB } }\n', 'error HPX-C016:'],
    ['a unit that nobody knows', 'store: { file: { path: x, disk_max: 20gb } }\n', 'error HPX-C016:'],
    ['no rate', 'expected_rate: 5000\n', '7:16 error HPX-C015: expected_rate must be a rate like 5000/s'],
    [
      'no pointer',
      'identity: { scope: [tenant] }\n',
      '6:21 error HPX-C002: identity.scope[0] must be a JSON Pointer like /tenant, or header:NAME, not "tenant"',
    ],
    [
      'a pointer that is wrong',
      'identity: { id: /a~2, scope: [] }\n',
      '6:17 error HPX-C002: identity.id must be',
    ],
    [
      'the whole document as a pointer',
      'identity: { id: "", scope: [] }\n',
      '6:17 error HPX-C002: identity.id must be',
    ],
    [
      'a misspelled identity',
      'identity: { id: cloudevent, scope: [] }\n',
      '^^^^^^^^^^ did you mean "cloudevents"?',
    ],
    [
      'a text where a list must be',
      'identity: { scope: /tenant }\n',
      '6:20 error HPX-C015: identity.scope must be a list of JSON Pointers or header:NAME, not "/tenant"',
    ],
    [
      'a list where a text must be',
      'pipeline: [a]\n',
      '6:11 error HPX-C015: pipeline must be a name',
      'not a list',
    ],
    [
      'an empty list of paths',
      'source: { file: { path: [] } }\n',
      '6:25 error HPX-C015: source.file.path must be a list of at least one path, not an empty list',
    ],
    [
      'an empty path',
      'source: { file: { path: [a, ""] } }\n',
      '6:29 error HPX-C015: source.file.path[1] must be a path, not ""',
    ],
    [
      'neither a path nor a list',
      'source: { file: { path: 5 } }\n',
      '6:25 error HPX-C015: source.file.path must be a path, or a list of paths, not 5',
    ],
    [
      'a word that is no choice',
      'policies: { conflict: dead_letter }\n',
      '7:23 error HPX-C005: policies.conflict must be dead-letter, pass or drop, not "dead_letter"',
      '^^^^^^^^^^^ did you mean "dead-letter"?',
    ],
    [
      'neither the word nor the section',
      'policies: { sink: stop }\n',
      '7:19 error HPX-C015: policies.sink must be wait, or a section with dead_letter_after, not "stop"',
    ],
    [
      'a mistake inside the section',
      'policies: { sink: { dead_letter_after: soon } }\n',
      '7:40 error HPX-C001: policies.sink.dead_letter_after must be a duration',
    ],
    [
      'an unknown setting inside the section',
      'identity: { scope: [], body_check: { exclud: [/a] } }\n',
      '6:38 error HPX-C003: unknown setting "exclud" in identity.body_check',
      'did you mean "exclude"?',
    ],
    [
      'neither true nor false',
      'policies: { observe: yes }\n',
      '7:22 error HPX-C015: policies.observe must be true or false, not "yes"',
    ],
    [
      'no whole number',
      'limits: { ahead_max: 1.5 }\n',
      '7:22 error HPX-C015: limits.ahead_max must be a whole number, at least 1, not 1.5',
    ],
    ['nothing', 'limits: { ahead_max: 0 }\n', '7:22 error HPX-C015:'],
    [
      'a section without settings',
      'limits:\n',
      '7:1 error HPX-C015: limits must be a section with settings, not empty',
      '^^^^^^',
    ],
    [
      'a name that cannot be one',
      'pipeline: cart analytics\n',
      '6:11 error HPX-C015: pipeline must be a name of letters',
    ],
    ['a name of the language', '__proto__: 5\n', '7:1 error HPX-C003: unknown setting "__proto__"'],
  ];
  for (const [name, text, ...parts] of cases)
    test(name, async () => {
      const told = await desk.told(withSections(text));
      for (const part of parts) assert.ok(told.includes(part), `${part}\nis not in\n${told}`);
      assert.equal(told.split('\n').filter((line) => line.startsWith('hapax.yaml')).length, 1, told);
    });
});

test('what follows from a mistake is not told as another one', async () => {
  const text = withSections(
    'sink: { file: { path: "out/${A}" } }\nduplicates: { file: { path: "out/${B}" } }\n',
  );
  assert.deepEqual(
    (await desk.heads(text)).map((head) => head.replace(/^.*error (\S+) (\S+) .*$/, '$1 $2')),
    ['HPX-C013: ${A}', 'HPX-C013: ${B}'],
  );
  assert.deepEqual(await desk.heads(withSections('window: *a\n')), [
    'hapax.yaml:7:9 error HPX-C012: an alias is not possible here',
  ]);
});

test('all mistakes are told at once, in the order of their places, as the conventions have it', async () => {
  assert.equal(
    await desk.told(`pipeline: shop
source:
  file: { path: "events/*.ndjson", folow: false }
window: 48
store:
  file:
    disk_max: 20
    marks_maxx: 5
policies:
  conflict: dead_letter
  late: \${LATE}
`),
    `hapax.yaml error HPX-C014: sink is missing: it must be one of file or stdout, and only one
hapax.yaml:3:36 error HPX-C003: unknown setting "folow" in source.file
    3 |   file: { path: "events/*.ndjson", folow: false }
      |                                    ^^^^^ did you mean "follow"?
hapax.yaml:4:9 error HPX-C001: window must be a duration like 48h or 1h30m (ms s m h d w), not 48
    4 | window: 48
      |         ^^
hapax.yaml:6:3 error HPX-C014: store.file.path is missing: it must be a path
    6 |   file:
      |   ^^^^
hapax.yaml:7:15 error HPX-C016: store.file.disk_max must be a size like 2GiB or 500MB (B, KiB MiB GiB TiB, kB MB GB TB), not 20
    7 |     disk_max: 20
      |               ^^
hapax.yaml:8:5 error HPX-C003: unknown setting "marks_maxx" in store.file
    8 |     marks_maxx: 5
      |     ^^^^^^^^^^ did you mean "marks_max"?
hapax.yaml:10:13 error HPX-C005: policies.conflict must be dead-letter, pass or drop, not "dead_letter"
   10 |   conflict: dead_letter
      |             ^^^^^^^^^^^ did you mean "dead-letter"?
hapax.yaml:11:9 error HPX-C013: \${LATE} is not set, and has no default; write \${LATE:-default} to give one
   11 |   late: \${LATE}
      |         ^^^^^^^
more: hapax help HPX-C014
`,
  );
});
