import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { promisify } from 'node:util';
import { errors } from '../src/core/errors.ts';
import * as house from './house-rules.ts';

const files = readTree('.');
const sources = only(files, (path) => /^(?:src|test|bench)\/.*\.ts$/.test(path));

describe('the house keeps its rules', () => {
  holds('imports go one way', house.direction(sources));
  holds('no import cycles', house.cycles(only(sources, (path) => path.startsWith('src/'))));
  holds('file names say what is in them', house.fileNames(sources.keys()));
  holds('the door only opens', house.doorOnlyExports(sources));
  holds('importing a module does nothing', house.actsOnImport(sources));
  holds('core reads no clock, no chance and nothing of the world', house.corePurity(sources));
  holds('each adapter runs the suite of its family', house.suiteTests(sources));
  holds(
    'each error has its place on the errors page',
    house.errorPage(errors, read('docs/reference/errors.md')),
  );
  holds(
    'package.json agrees with the sources',
    house.manifestAgrees(JSON.parse(read('package.json')) as house.Manifest, sources),
  );
  holds('no source file is too long', house.tooLong(sources, house.linesMax));
  holds('nothing of one machine is left in a file', house.strayText(files));
  for (const folder of ['', 'assembly/'])
    holds(
      `${folder}package-lock.json names no addresses`,
      house.lockAddresses(read(`${folder}package-lock.json`)),
    );

  test('long files, to talk about', (t) => {
    for (const line of house.tooLong(sources, house.linesToTalkAbout)) t.diagnostic(line);
  });

  for (const door of ['index.js', 'testing/index.js'])
    test(`importing dist/${door} opens nothing and prints nothing`, async () => {
      const url = new URL(`../../dist/${door}`, import.meta.url).href;
      const script = `
        const before = process.listenerCount('SIGINT') + process.listenerCount('SIGTERM') + process.listenerCount('exit');
        await import(${JSON.stringify(url)});
        await new Promise((resolve) => setImmediate(resolve));
        const after = process.listenerCount('SIGINT') + process.listenerCount('SIGTERM') + process.listenerCount('exit');
        const open = process.getActiveResourcesInfo().filter((name) => !/^(?:TTY|Pipe|File|Immediate)/.test(name));
        process.stdout.write(JSON.stringify({ open, listeners: after - before }));`;
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '-e', script],
        {
          timeout: 20_000,
        },
      );
      assert.equal(stderr, '');
      assert.deepEqual(JSON.parse(stdout), { open: [], listeners: 0 });
    });
});

describe('each rule of the house can fail', () => {
  const fake = (texts: Record<string, string>): house.Sources => new Map(Object.entries(texts));

  fails(
    'direction: core looks outside',
    house.direction(fake({ 'src/core/a.ts': `import '../stores/m.ts';` })),
    1,
  );
  fails(
    'direction: a type counts too',
    house.direction(fake({ 'src/core/a.ts': `import type { M } from '../stores/m.ts';` })),
    1,
  );
  fails(
    'direction: a lazy import counts too',
    house.direction(fake({ 'src/core/a.ts': `await import('../cli/x.ts');` })),
    1,
  );
  fails(
    'direction: an adapter sees another one',
    house.direction(fake({ 'src/stores/a.ts': `import './b.ts';` })),
    1,
  );
  fails(
    'direction: an adapter sees another family',
    house.direction(fake({ 'src/sinks/a.ts': `import '../stores/b.ts';` })),
    1,
  );
  fails(
    'direction: an adapter sees the engine',
    house.direction(fake({ 'src/stores/a.ts': `import '../core/pipeline.ts';` })),
    1,
  );
  fails(
    'direction: src sees a test',
    house.direction(fake({ 'src/cli/a.ts': `import '../../test/b.ts';` })),
    1,
  );
  fails(
    'direction: a room that is not in the plan',
    house.direction(fake({ 'src/misc/a.ts': `import '../core/b.ts';` })),
    1,
  );
  fails(
    'direction: the dashboard sees more than the contract',
    house.direction(fake({ 'src/dashboard/a.ts': `import '../http/app.ts';` })),
    1,
  );
  fails(
    'direction: what is allowed is allowed',
    house.direction(
      fake({
        'src/stores/a.ts': `import '../core/store.ts'; import './kit.ts'; import './a/table.ts';`,
        'src/stores/a/table.ts': `import '../a.ts'; import '../kit/slots.ts'; import 'node:fs';`,
        'src/dashboard/a.ts': `import '../http/contract.ts';`,
        'src/cli/main.ts': `import '../stores/a.ts';`,
      }),
    ),
    0,
  );
  fails(
    'cycles: over three files',
    house.cycles(
      fake({
        'src/a.ts': `import './b.ts';`,
        'src/b.ts': `export * from './c.ts';`,
        'src/c.ts': `import { x } from './a.ts';`,
      }),
    ),
    1,
  );
  fails('cycles: a file that imports itself', house.cycles(fake({ 'src/a.ts': `import './a.ts';` })), 1);
  fails(
    'cycles: types do not count',
    house.cycles(fake({ 'src/a.ts': `import './b.ts';`, 'src/b.ts': `import type { X } from './a.ts';` })),
    0,
  );
  fails('names: vague', house.fileNames(['src/core/utils.ts', 'src/helpers/a.ts', 'src/core/types.ts']), 3);
  fails(
    'names: not kebab-case',
    house.fileNames(['src/core/windowStore.ts', 'test/Memory.test.ts', 'src/a.property.ts']),
    3,
  );
  fails(
    'names: good ones',
    house.fileNames([
      'src/core/window-2.ts',
      'test/core/a.test.ts',
      'test/a.property.test.ts',
      'bench/a.bench.ts',
    ]),
    0,
  );
  fails(
    'door: code of its own',
    house.doorOnlyExports(fake({ 'src/index.ts': `export * from './a.ts';\nexport const x = 1;` })),
    1,
  );
  fails('door: missing', house.doorOnlyExports(fake({})), 1);
  fails(
    'acts: a call, a condition',
    house.actsOnImport(fake({ 'src/a.ts': `start();\nif (x) y();`, 'src/cli/main.ts': 'start();' })),
    2,
  );
  fails(
    'acts: a table that is filled',
    house.actsOnImport(fake({ 'src/a.ts': `const t = [];\nfor (const x of [1]) t.push(x);` })),
    0,
  );
  fails(
    'core: clock, chance, timers, environment, files',
    house.corePurity(
      fake({
        'src/core/a.ts': `import 'node:fs';\nDate.now(); new Date(); Math.random(); setTimeout(f); process.env.X; performance.now();`,
      }),
    ),
    7,
  );
  fails(
    'core: what is given is allowed',
    house.corePurity(
      fake({
        'src/core/a.ts': `new Date(ms); Date.parse(s); clock.performance(); const random = Math.random; // Date.now()`,
        'src/core/clock.ts': `Date.now();`,
        'src/cli/main.ts': `process.env.X`,
      }),
    ),
    0,
  );
  fails(
    'suite: no test, and a test without it',
    house.suiteTests(
      fake({ 'src/stores/a.ts': '', 'src/stores/b.ts': '', 'test/stores/b.test.ts': `import 'node:test';` }),
    ),
    2,
  );
  fails(
    'suite: there',
    house.suiteTests(
      fake({
        'src/stores/a.ts': '',
        'src/stores/kit.ts': '',
        'test/stores/a.test.ts': `import { runStoreSuite } from '../../src/testing/index.ts'; await runStoreSuite();`,
        'src/sinks/x.ts': '',
      }),
    ),
    0,
  );
  fails(
    'suite: something else of the testing kit, and the suite of another family',
    house.suiteTests(
      fake({
        'src/stores/a.ts': '',
        'test/stores/a.test.ts': `import { ManualClock } from '../../src/testing/index.ts'; new ManualClock();`,
        'src/stores/b.ts': '',
        'test/stores/b.test.ts': `import { runSinkSuite } from '../../src/testing/index.ts'; runSinkSuite();`,
      }),
    ),
    2,
  );
  fails(
    'suite: of another family, once it exists',
    house.suiteTests(fake({ 'src/testing/sink-suite.ts': '', 'src/sinks/x.ts': '' })),
    1,
  );
  const catalogue = { 'HPX-X1': { title: 'it broke', hint: 'mend it', exit: 3 } };
  fails('errors: no heading', house.errorPage({ 'HPX-X001': catalogue['HPX-X1'] }, '# Errors\n'), 1);
  fails(
    'errors: another title',
    house.errorPage({ 'HPX-X001': catalogue['HPX-X1'] }, '## HPX-X001: it fell\n\nExit code 3.'),
    1,
  );
  fails(
    'errors: another exit code',
    house.errorPage({ 'HPX-X001': catalogue['HPX-X1'] }, '## HPX-X001: it broke\n\nExit code 4.'),
    1,
  );
  fails('errors: a code that is gone', house.errorPage({}, '## HPX-X001: it broke\n'), 1);
  fails(
    'errors: right',
    house.errorPage({ 'HPX-X001': catalogue['HPX-X1'] }, '## HPX-X001: it broke\n\nExit code 3.'),
    0,
  );
  const manifest = { exports: { '.': { default: './dist/index.js' } }, bin: {} };
  fails(
    'manifest: not used, not declared, no source',
    house.manifestAgrees(
      { ...manifest, dependencies: { a: '1' } },
      fake({ 'src/b.ts': `import '@s/b/c'; import 'node:fs';` }),
    ),
    3,
  );
  fails(
    'manifest: right',
    house.manifestAgrees(
      { ...manifest, dependencies: { '@s/b': '1' } },
      fake({ 'src/index.ts': `import '@s/b/c';` }),
    ),
    0,
  );
  fails(
    'length',
    house.tooLong(fake({ 'src/a.ts': 'x\n'.repeat(11), 'test/a.ts': 'x\n'.repeat(11) }), 10),
    1,
  );
  const stray = {
    a: `https://${['registry', 'example', 'org'].join('.')}/x`,
    b: `cd ${['', 'home', 'me'].join('/')}`,
    c: `// ${['TO', 'DO'].join('')} later`,
    d: `see ${['..', 'shared', 'x.md'].join('/')}`,
    e: `${'<'.repeat(7)} mine`,
  };
  fails('stray text: each kind', house.strayText(fake(stray)), 5);
  fails(
    'stray text: none',
    house.strayText(fake({ a: 'the register of rooms/home/; work/ is not /etc/root' })),
    0,
  );
  fails('lock file', house.lockAddresses('{"packages":{"":{},"node_modules/a":{"resolved":"x"}}}'), 1);
});

function holds(rule: string, findings: readonly string[]): void {
  test(rule, () => {
    assert.equal(findings.join('\n'), '');
  });
}

function fails(rule: string, findings: readonly string[], count: number): void {
  test(rule, () => {
    assert.equal(findings.length, count, findings.join('\n'));
  });
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Every text file of the project as it would be committed. */
function readTree(folder: string): house.Sources {
  const ignored = /^(?:node_modules|dist|build.*|\.git|\.services)$/;
  const tree = new Map<string, string>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (ignored.test(entry.name)) continue;
    const path = join(folder, entry.name).replaceAll('\\', '/');
    if (entry.isDirectory()) for (const [inner, text] of readTree(path)) tree.set(inner, text);
    else if (entry.isFile() && !/\.(?:gz|png|log)$/.test(path)) tree.set(path, readFileSync(path, 'utf8'));
  }
  return tree;
}

function only(all: house.Sources, keep: (path: string) => boolean): house.Sources {
  return new Map([...all].filter(([path]) => keep(path)));
}
