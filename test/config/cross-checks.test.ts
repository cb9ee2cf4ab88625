import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { capacities } from '../../src/config/adapters.ts';
import { Marks } from '../../src/stores/kit/marks.ts';
import { Desk, minimal, withSections } from './workshop.ts';

const desk = new Desk();

function cases(
  list: readonly (readonly [name: string, text: string, ...heads: (string | RegExp)[]])[],
): void {
  for (const [name, text, ...expected] of list)
    test(name, async () => {
      const heads = await desk.heads(withSections(text));
      assert.equal(heads.length, expected.length, heads.join('\n'));
      expected.forEach((head, k) => {
        if (typeof head === 'string') assert.equal(heads[k], `hapax.yaml${head}`);
        else assert.match(heads[k], head);
      });
    });
}

describe('policies', () => {
  const without = (text: string) => withSections(text).replace(/^dead_letter.*\n/m, '');

  test('what is dead-lettered needs a place, by default too', async () => {
    assert.deepEqual(await desk.heads(without('')), [
      'hapax.yaml error HPX-C008: policies.unidentified: dead-letter (the default) needs dead_letter',
    ]);
    const all = `policies: { unidentified: dead-letter, conflict: dead-letter, late: dead-letter, sink: { dead_letter_after: 1h } }
identity: { scope: [], body_check: true, event_time: /time }
`;
    assert.deepEqual(
      (await desk.heads(without(all))).map((head) => head.replace(/^.*HPX-C008: /, '')),
      [
        'policies.unidentified: dead-letter needs dead_letter',
        'policies.conflict: dead-letter needs dead_letter',
        'policies.late: dead-letter needs dead_letter',
        'policies.sink: dead_letter_after needs dead_letter',
      ],
    );
    for (const policies of ['unidentified: pass', 'unidentified: stop', 'observe: true'])
      assert.deepEqual(await desk.heads(without(`policies: { ${policies} }\n`)), []);
  });

  cases([
    [
      'conflict without a body check',
      'policies: { conflict: drop }\n',
      ':7:23 error HPX-C008: policies.conflict: drop needs identity.body_check',
    ],
    [
      'late without event time',
      'policies: { late: drop }\n',
      ':7:19 error HPX-C008: policies.late: drop needs identity.event_time',
    ],
    ['the defaults, written out', 'policies: { conflict: dead-letter, late: pass }\n'],
  ]);
});

describe('identity', () => {
  const lines = 'source: { file: { path: a.log, lines: true } }\n';
  cases([
    [
      'an id and content',
      'identity: { id: /a, content: {}, scope: [] }\n',
      ':6:30 error HPX-C006: identity.id and identity.content exclude each other',
    ],
    [
      'content and a module',
      'identity: { content: {}, module: ./id.mjs, scope: [] }\n',
      ':6:34 error HPX-C006: identity.content and identity.module exclude each other',
    ],
    ['lines', `identity: { id: line }\n${lines}`],
    [
      'id: line without lines',
      'identity: { id: line }\n',
      ':6:17 error HPX-C008: identity.id: line needs source.file.lines: true',
    ],
    ['lines without id: line', lines, ':6:39 error HPX-C008: source.file.lines needs identity.id: line'],
    ['lines and a module', `identity: { module: ./id.mjs }\n${lines}`],
    [
      'lines and what belongs to JSON',
      `identity: { id: line, scope: [/a], body_check: true, event_time: /b }\n${lines}`,
      /HPX-C006: identity.id: line and identity.scope exclude each other/,
      /HPX-C006: identity.id: line and identity.body_check exclude/,
      /HPX-C006: identity.id: line and identity.event_time exclude/,
    ],
    [
      'content and event time',
      'identity: { content: {}, scope: [], event_time: /b }\n',
      /HPX-C006: identity.content and identity.event_time exclude/,
    ],
    [
      'a module and a scope',
      'identity: { module: ./id.mjs, scope: [/a] }\n',
      /HPX-C006: identity.module and identity.scope exclude/,
    ],
    [
      'headers of files',
      'identity: { id: header:x-id, scope: [header:a, /b] }\n',
      ':6:17 error HPX-C006: header:NAME and source.file exclude each other',
      ':6:38 error HPX-C006: header:NAME and source.file exclude each other',
    ],
    [
      'no scope',
      'identity: { id: /a }\n',
      ':6:1 note: there is one key space for all: the same id from two tenants is a duplicate',
    ],
    ['no scope, by intent', 'identity: { id: /a, scope: [] }\n'],
    ['no scope where the id has its own', 'identity: { id: cloudevents }\n'],
  ]);
});

describe('places', () => {
  cases([
    [
      'two outputs',
      'duplicates: { file: { path: ./x/../unique.ndjson } }\n',
      ':7:29 error HPX-C006: duplicates.file.path cannot be ./x/../unique.ndjson: sink.file.path is the same place',
    ],
    [
      'an output that is read',
      'sink: { file: { path: ./events.ndjson } }\n',
      ':6:23 error HPX-C006: sink.file.path cannot be ./events.ndjson: source.file.path reads it',
    ],
    [
      'an output that a pattern finds',
      'source: { file: { path: [a.ndjson, "./*.ndjson"] } }\nsink: { file: { path: out/unique.ndjson } }\n',
      /dead_letter.file.path cannot be dead.ndjson: source.file.path reads it/,
    ],
    [
      'an output that a pattern finds further down',
      'source: { file: { path: "**/*.ndjson" } }\nsink: { file: { path: out/deep/unique.ndjson } }\ndead_letter: { file: { path: dead.txt } }\n',
      /sink.file.path cannot be out/,
    ],
    [
      'the commit log of an output that is read',
      'source: { file: { path: "*.commits" } }\n',
      /sink.file.path cannot be unique.ndjson: source.file.path reads it/,
    ],
    [
      'a series of outputs that is read',
      'source: { file: { path: "dead-*" } }\ndead_letter: { file: { path: dead.ndjson, keep: 1d } }\n',
      /dead_letter.file.path cannot be dead.ndjson: source.file.path reads it/,
    ],
    ['outputs that are left out', 'source: { file: { path: ["*.ndjson", "!unique.*", "!dead*"] } }\n'],
    ['outputs that no pattern finds', 'source: { file: { path: ["in/*.ndjson", "*.gz", "-"] } }\n'],
    [
      'an output in the state directory',
      'sink: { file: { path: ./state/unique.ndjson } }\n',
      /sink.file.path cannot be .*: it lies in the directory of store.file.path/,
    ],
    ['an output beside the state directory', 'sink: { file: { path: ./state-unique.ndjson } }\n'],
    [
      'the configuration itself',
      'sink: { file: { path: hapax.yaml } }\n',
      /sink.file.path cannot be hapax.yaml: that is the configuration itself/,
    ],
    [
      'outputs beside standard output, which commits nothing',
      'sink: { stdout: {} }\nduplicates: { file: { path: a.ndjson } }\n',
      / error HPX-C008: dead_letter needs sink.file/,
      / error HPX-C008: duplicates needs sink.file/,
    ],
    [
      'outputs that are compressed',
      'sink: { file: { path: a.gz } }\ndead_letter: { file: { path: b.ndjson.gz } }\n',
      /:5:23 error HPX-O007: sink.file.path cannot be compressed/,
      /HPX-O007: dead_letter.file.path/,
    ],
  ]);

  test('relative paths count from the folder of the configuration, and links are followed', async () => {
    mkdirSync(join(desk.folder, 'real'));
    symlinkSync('real', join(desk.folder, 'link'));
    const text = `sink: { file: { path: link/a.ndjson } }\nduplicates: { file: { path: "${join(desk.folder, 'real/a.ndjson')}" } }\n`;
    assert.match(
      (await desk.heads(withSections(text))).join('\n'),
      /duplicates.file.path cannot be .*: sink.file.path is the same place$/,
    );
    const read = 'source: { file: { path: "link/*" } }\nsink: { file: { path: real/a.ndjson } }\n';
    assert.match(
      (await desk.heads(withSections(read))).join('\n'),
      /sink.file.path cannot be .*: source.file.path reads it$/,
    );
  });
});

describe('the window and its store', () => {
  const at = (rate: string, store: string) => `window: 7d\nexpected_rate: ${rate}\nstore: { ${store} }\n`;
  cases([
    [
      'too little disk',
      at('100/s', 'file: { path: s, disk_max: 1GiB }'),
      ':8:37 error HPX-C017: a window of 7d at 100/s needs about 2 GB; disk_max is 1GiB',
    ],
    [
      'too few marks',
      at('5000/s', 'file: { path: s, marks_max: 1000000 }'),
      ':8:38 error HPX-C017: a window of 7d at 5000/s needs about 3,024,000,000 marks; marks_max is 1,000,000',
    ],
    [
      'a window that shrinks',
      at('5000/s', 'file: { path: s, marks_max: 1000000, when_full: shrink }'),
      / warning HPX-C017: /,
    ],
    ['enough', at('100/s', 'file: { path: s, disk_max: 2GiB, marks_max: 100000000 }')],
    ['no limit but that of all stores', at('100/s', 'file: { path: s }')],
  ]);

  test('what is enough is told', async () => {
    assert.match(
      await desk.told(withSections(at('5000/s', 'file: { path: s, marks_max: 18000000 }'))),
      /that is enough for 1h\n/,
    );
  });

  test('every store has a limit of its own, and memory forgets', async () => {
    assert.equal(capacities.marks, Marks.most);
    assert.match(
      await desk.told(withSections('store: { file: { path: s, marks_max: 120000001 } }\n')),
      /HPX-C015: store.file.marks_max must be a whole number, at least 1 and at most 120000000, not 120000001/,
    );
    assert.deepEqual(await desk.heads(withSections(at('5000/s', 'memory: {}'))), [
      'hapax.yaml:6:9 error HPX-C017: a window of 7d at 5000/s needs about 3,024,000,000 marks; marks_max is 120,000,000',
      'hapax.yaml:8:10 warning: a restart forgets the window: copies of what came before it pass once more',
    ]);
    const passing = withSections(
      'store: { memory: {} }\nsink: { stdout: {} }\npolicies: { unidentified: pass }\n',
    );
    assert.deepEqual(await desk.heads(passing.replace(/^dead_letter.*$/m, '')), []);
  });

  test('without a rate nothing is guessed', async () => {
    assert.deepEqual(await desk.heads(withSections('store: { file: { path: s, marks_max: 1 } }\n')), []);
  });
});

test('warnings and notes do not refuse a configuration', async () => {
  const { problems } = await desk.configuration(
    minimal.replace('scope: []', 'id: /a').replace('file: { path: ./state }', 'memory: {}'),
  );
  assert.deepEqual(
    problems.map(({ severity }) => severity),
    ['note', 'warning'],
  );
});

test('no message shows what came from outside', async () => {
  const variables = {
    LATE: 'drop',
    PLACE: './events.ndjson',
    WINDOW: '77d',
    RATE: '5555/s',
    MARKS: '1234567',
    ID: 'line',
    SECRET: 'hunter2',
  };
  const texts = [
    'policies:\n  late: ${LATE}\n',
    'sink:\n  file:\n    path: ${PLACE}\n',
    'window: ${WINDOW}\nexpected_rate: ${RATE}\nstore:\n  file:\n    path: s\n    marks_max: ${MARKS}\n',
    'identity:\n  id: ${ID}\n',
    'window: ${SECRET}\n',
    'identity:\n  scope:\n    - ${SECRET}\n',
    'source:\n  file:\n    path: a\n    lines: ${SECRET}\n',
  ];
  for (const text of texts) {
    const told = await desk.told(withSections(text), variables);
    assert.match(told, /error HPX/);
    for (const value of Object.values(variables))
      assert.ok(!told.includes(value === 'line' ? ': line ' : value), told);
  }
});
