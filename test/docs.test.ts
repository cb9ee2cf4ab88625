import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import test, { after, describe } from 'node:test';
import ts from 'typescript';
import { anchorsOf, blocksOf, linksOf, looksLike, stepsOf, type Block } from './doc-blocks.ts';

// Every example is run as a reader would run it: in a folder of its own, with the built package installed there.
// Blocks of one page share a folder, in the order of the page.
const root = process.cwd();
const home = mkdtempSync(join(tmpdir(), 'hapax-docs-'));
after(() => {
  rmSync(home, { recursive: true, force: true });
});
installPackage();

const pages = new Map(pagePaths().map((path) => [path, readFileSync(path, 'utf8')]));
const blocks = [...pages].flatMap(([page, markdown]) => blocksOf(page, markdown));

describe('the examples of the documentation run', () => {
  const programs = blocks.filter(({ language }) => language === 'ts');
  const compiled = compile(programs);
  for (const block of blocks) {
    if (block.language === 'sh') test(nameOf(block), () => runShell(block));
    if (block.language === 'ts') test(nameOf(block), () => runProgram(block, compiled));
  }
  test('there are examples, and no block of a kind that is not run', () => {
    assert.ok(blocks.some(({ language }) => language === 'sh') && programs.length > 0);
    const unknown = blocks.filter(({ language }) => !['sh', 'ts', 'text'].includes(language));
    assert.deepEqual(unknown.map(nameOf), []);
  });
});

describe('the reference of the command line', () => {
  const sections = (pages.get('docs/reference/cli.md') ?? '').split(/^## hapax /m).slice(1);
  for (const section of sections) {
    const [command] = section.split('\n', 1);
    test(`has every option of hapax ${command}, and no others`, () => {
      const described = [...section.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, option]) => option);
      assert.deepEqual(described.sort(), [...optionsOf([command])].sort());
    });
  }
});

/** Of a command and those under it. */
function optionsOf(command: readonly string[]): Set<string> {
  const args = ['dist/cli/main.js', ...command, '--help'];
  const help = spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
  const [, offered = ''] = /^Options:\n([^]*?)(?:\n\n|(?![^]))/m.exec(help) ?? [];
  const [, commands = ''] = /^Commands:\n([^]*?)(?:\n\n|(?![^]))/m.exec(help) ?? [];
  const own = [...offered.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option);
  const below = [...commands.matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name]) => [
    ...optionsOf([...command, name]),
  ]);
  return new Set([...own, ...below].filter((option) => option !== '--help'));
}

describe('the links of the documentation lead somewhere', () => {
  for (const [page, markdown] of pages)
    test(page, () => {
      const broken = linksOf(markdown).filter(({ path, anchor }) => {
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(target)) return true;
        return anchor !== '' && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
      });
      assert.deepEqual(broken, []);
    });
  test('every page of docs can be reached from the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached)
      for (const { path } of linksOf(pages.get(page) ?? ''))
        if (path.endsWith('.md')) reached.add(join(dirname(page), path));
    assert.deepEqual(
      [...pages.keys()].filter((page) => page.startsWith('docs/') && !reached.has(page)),
      [],
    );
  });
});

describe('the check of the documentation can fail', () => {
  test('blocks', () => {
    const [sh, text] = blocksOf('a.md', 'x\n```sh exit=1\n$ a\n```\n\n  ```text\n  b\n\n  c\n  ```\n');
    assert.deepEqual(sh, { page: 'a.md', line: 2, language: 'sh', info: 'exit=1', text: '$ a' });
    assert.equal(text.text, 'b\n\nc');
    assert.throws(() => blocksOf('a.md', '```ts\nx'), /a\.md:1/);
  });
  test('steps', () => {
    assert.deepEqual(stepsOf('$ cat <<E\n> x\n> E\nx\n$ true'), [
      { command: 'cat <<E\nx\nE', output: 'x' },
      { command: 'true', output: undefined },
    ]);
    assert.throws(() => stepsOf('x\n$ y'));
  });
  test('output', () => {
    assert.ok(looksLike('a 12 (b)\nc\nd\n', 'a … (b)\n…\nd'));
    assert.ok(!looksLike('a\nb', 'a'));
    assert.ok(!looksLike('axb', 'a.b'));
  });
  test('links and anchors', () => {
    assert.deepEqual(linksOf('[a](b.md#c-d) [e](https://f.org) `[g](h)`\n```text\n[i](j)\n```\n'), [
      { path: 'b.md', anchor: 'c-d' },
    ]);
    assert.deepEqual(anchorsOf('# Held, and `waits`\n```sh\n# no\n```\n'), ['held-and-waits']);
  });
});

function nameOf({ page, line, language }: Block): string {
  return `${page}:${line} ${language}`;
}

function pagePaths(): string[] {
  const docs = existsSync('docs')
    ? readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((path) => join('docs', path))
    : [];
  const others = readdirSync('examples', { recursive: true, encoding: 'utf8' }).map((path) =>
    join('examples', path),
  );
  return [...readdirSync('.'), ...docs, ...others].filter((path) => path.endsWith('.md')).sort();
}

/** `hapax` on the path, and as a package beside the examples. */
function installPackage(): void {
  mkdirSync(join(home, 'bin'));
  const shim = join(home, 'bin', 'hapax');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${root}/dist/cli/main.js' "$@"\n`);
  chmodSync(shim, 0o755);
  mkdirSync(join(home, 'node_modules', '@types'), { recursive: true });
  symlinkSync(root, join(home, 'node_modules', 'hapax'), 'dir');
  symlinkSync(join(root, 'node_modules/@types/node'), join(home, 'node_modules/@types/node'), 'dir');
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
}

/** The folder of a page, with the example streams in it. */
function folderOf(page: string): string {
  const folder = join(home, page.replace(/\W+/g, '-'));
  if (!existsSync(folder)) {
    mkdirSync(folder);
    if (existsSync('examples')) cpSync('examples', join(folder, 'examples'), { recursive: true });
  }
  return folder;
}

function runShell(block: Block): void {
  const expected = Number(/exit=(\d+)/.exec(block.info)?.[1] ?? 0);
  const steps = stepsOf(block.text);
  steps.forEach(({ command, output }, k) => {
    const ran = spawnSync('bash', ['-c', `{ ${command}\n} 2>&1`], {
      cwd: folderOf(block.page),
      encoding: 'utf8',
      timeout: 60_000,
      input: '',
      env: {
        ...plainEnvironment(),
        PATH: [join(home, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
      },
    });
    const code = k === steps.length - 1 ? expected : 0;
    assert.equal(ran.status, code, `$ ${command}\n${ran.stdout}`);
    if (output !== undefined)
      assert.ok(looksLike(ran.stdout, output), `$ ${command}\nprints\n${ran.stdout}\nand not\n${output}`);
  });
}

/** Without what the test runner tells its own children. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...rest } = process.env;
  return { ...rest, TERM: 'dumb', NO_COLOR: '1' };
}

/** All programs at once, since the compiler takes its time to start; what is wrong is told with each of them. */
function compile(programs: readonly Block[]): ReadonlyMap<string, string> {
  const files = programs.map((block) => {
    const file = programFile(block);
    writeFileSync(file, block.text);
    return file;
  });
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(home, 'node_modules/@types')],
    rootDir: home,
  });
  program.emit();
  const mistakes = new Map<string, string>();
  for (const diagnostic of ts.getPreEmitDiagnostics(program)) {
    const file = resolve(diagnostic.file?.fileName ?? '');
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
    const text = `line ${line + 1}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`;
    mistakes.set(file, `${mistakes.get(file) ?? ''}\n${text}`);
  }
  return mistakes;
}

function programFile(block: Block): string {
  return join(folderOf(block.page), `line-${block.line}.ts`);
}

/** A `text` block right after a program, with the info `output`, is what it prints. */
function runProgram(block: Block, mistakes: ReadonlyMap<string, string>): void {
  const file = programFile(block);
  assert.equal(mistakes.get(file) ?? '', '');
  const ran = spawnSync(process.execPath, [file.replace(/ts$/, 'js')], {
    cwd: folderOf(block.page),
    encoding: 'utf8',
    timeout: 60_000,
    input: '',
    env: plainEnvironment(),
  });
  assert.equal(ran.status, 0, ran.stderr);
  const next = blocks[blocks.indexOf(block) + 1] as Block | undefined;
  if (next?.page === block.page && next.info === 'output')
    assert.ok(looksLike(ran.stdout, next.text), `it prints\n${ran.stdout}\nand not\n${next.text}`);
}
