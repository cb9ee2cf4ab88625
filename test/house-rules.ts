import ts from 'typescript';

/**
 * The rules of the house as functions over sources, so that each one can be shown to fail on a small fake.
 * Each returns its findings as lines that a person can act on; none = the rule holds.
 */
export type Sources = ReadonlyMap<string, string>;

export interface Import {
  readonly from: string;
  /** A path from the root for our own files, else the name of a package or `node:` module. */
  readonly to: string;
  readonly own: boolean;
  /** Vanishes in the compiled code (`import type`). */
  readonly typeOnly: boolean;
}

/** What each room of src may look at, besides itself; everything may look at core. */
const sees: Record<string, readonly string[]> = {
  core: [],
  disk: [],
  stores: ['disk'],
  sources: ['disk'],
  sinks: ['disk'],
  checkpoints: ['disk'],
  traffic: [],
  telemetry: [],
  worker: ['disk', 'telemetry'],
  inbox: ['telemetry'],
  testing: ['disk', 'stores', 'sources', 'sinks', 'checkpoints', 'worker', 'inbox'],
  config: ['disk', 'stores', 'sources', 'sinks', 'checkpoints', 'worker', 'telemetry'],
  http: ['worker', 'telemetry', 'inbox'],
  dashboard: ['http/contract.ts'],
  cli: [
    'disk',
    'stores',
    'sources',
    'sinks',
    'checkpoints',
    'config',
    'worker',
    'telemetry',
    'traffic',
    'inbox',
    'http',
  ],
  'index.ts': ['stores', 'sources', 'sinks', 'checkpoints'],
};
const families = ['stores', 'sources', 'sinks', 'checkpoints'];
/** What two adapters of a family need together. */
const shared = /^(?:stores|sources|sinks|checkpoints)\/kit(?:\.ts$|\/)/;
/** The engine: adapters see the contracts beside it, never itself. */
const engine = /^core\/(?:pipeline|decide|river)(?:\.ts$|\/)/;

export function direction(sources: Sources): string[] {
  return importsOf(sources)
    .filter(({ from, own }) => own && from.startsWith('src/'))
    .filter(({ from, to }) => !to.startsWith('src/') || !maySee(from.slice(4), to.slice(4)))
    .map(({ from, to }) => `${from} must not import ${to}`);
}

function maySee(from: string, to: string): boolean {
  const room = roomOf(from);
  if (!(room in sees)) return false;
  if (families.includes(room)) {
    if (engine.test(to)) return false;
    if (roomOf(to) === room)
      return shared.test(to) || (!shared.test(from) && adapterOf(to) === adapterOf(from));
  }
  return (
    roomOf(to) === room || roomOf(to) === 'core' || sees[room].some((it) => it === roomOf(to) || it === to)
  );
}

function roomOf(path: string): string {
  return path.split('/')[0];
}

/** `stores/file.ts` and everything in `stores/file/` are the adapter "file". */
function adapterOf(path: string): string {
  return path.split('/')[1].replace(/\.ts$/, '');
}

/** Type-only imports vanish when compiled and do not count; lazy ones do. */
export function cycles(sources: Sources): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to, own, typeOnly } of importsOf(sources))
    if (own && !typeOnly) next.set(from, [...(next.get(from) ?? []), to]);
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (path.includes(file) || done.has(file)) return;
    for (const to of next.get(file) ?? []) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) walk(file, []);
  return found;
}

/** A second test of the same file says after a dot of what kind it is, as in `memory.property.test.ts`. */
export function fileNames(paths: Iterable<string>): string[] {
  const vague = /^(?:utils?|helpers?|commons?|managers?|types)$/;
  return [...paths].flatMap((path) =>
    path
      .replace(/(?:(?:\.(?:property|stress))?\.test|\.bench)?\.ts$/, '')
      .split('/')
      .flatMap((name) => {
        if (vague.test(name)) return [`${path}: "${name}" does not say what is in it`];
        return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) ? [] : [`${path}: "${name}" is not kebab-case`];
      }),
  );
}

/** The door only opens: it has no code of its own. */
export function doorOnlyExports(sources: Sources, door = 'src/index.ts'): string[] {
  const text = sources.get(door);
  if (text === undefined) return [`${door} is missing`];
  return parse(door, text)
    .statements.filter((it) => !(ts.isExportDeclaration(it) && it.moduleSpecifier))
    .map((it) => `${door} has code of its own: ${firstLine(it.getText())}`);
}

/** Importing a module does nothing: only the `main.ts` of a program has statements that act. */
export function actsOnImport(sources: Sources): string[] {
  const quiet = [
    ts.SyntaxKind.ImportDeclaration,
    ts.SyntaxKind.ExportDeclaration,
    ts.SyntaxKind.ExportAssignment,
    ts.SyntaxKind.InterfaceDeclaration,
    ts.SyntaxKind.TypeAliasDeclaration,
    ts.SyntaxKind.FunctionDeclaration,
    ts.SyntaxKind.ClassDeclaration,
    ts.SyntaxKind.VariableStatement,
  ];
  return [...sources]
    .filter(([path]) => path.startsWith('src/') && !path.endsWith('/main.ts'))
    .flatMap(([path, text]) =>
      parse(path, text)
        .statements.filter((it) => !quiet.includes(it.kind) && !fillsTable(it))
        .map((it) => `${path} acts when it is imported: ${firstLine(it.getText())}`),
    );
}

/** A loop that fills a constant table has to stand somewhere. */
function fillsTable(statement: ts.Statement): boolean {
  return (
    (ts.isForStatement(statement) || ts.isForOfStatement(statement)) && !/\bawait\b/.test(statement.getText())
  );
}

/** Time, chance and the world outside are injected; only clock.ts reads them. */
export function corePurity(sources: Sources): string[] {
  const world = ['process', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'fetch'];
  const outside = /^node:(?!crypto$|buffer$|util$)/;
  const findings: string[] = [];
  for (const [path, text] of sources) {
    if (!path.startsWith('src/core/') || path === 'src/core/clock.ts') continue;
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && world.includes(node.text) && !isMemberName(node))
        findings.push(`${path} uses ${node.text}`);
      if (ts.isPropertyAccessExpression(node) && node.getText() === 'Date.now')
        findings.push(`${path} reads the clock`);
      if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
        findings.push(`${path} reads the clock`);
      if (ts.isCallExpression(node) && node.expression.getText() === 'Math.random')
        findings.push(`${path} calls Math.random`);
      ts.forEachChild(node, visit);
    };
    visit(parse(path, text));
  }
  for (const { from, to } of importsOf(sources))
    if (from.startsWith('src/core/') && outside.test(to)) findings.push(`${from} imports ${to}`);
  return findings;
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    ((ts.isPropertyAssignment(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isMethodDeclaration(parent)) &&
      parent.name === node)
  );
}

/** Each adapter runs the suite of its family, in a test of its name. Stores have one always, the others when it exists. */
export function suiteTests(sources: Sources): string[] {
  const paths = [...sources.keys()];
  return families.flatMap((family) => {
    const suite = `src/testing/${family.replace(/s$/, '')}-suite`;
    if (family !== 'stores' && !paths.some((path) => path.startsWith(suite))) return [];
    const adapters = new Set(
      paths
        .filter((path) => path.startsWith(`src/${family}/`) && !shared.test(path.slice(4)))
        .map((path) => adapterOf(path.slice(4))),
    );
    return [...adapters]
      .filter((adapter) => !paths.some((path) => runsSuite(path, family, adapter, sources)))
      .map((adapter) => `no test in test/${family}/${adapter} runs the suite of ${family}`);
  });
}

function runsSuite(path: string, family: string, adapter: string, sources: Sources): boolean {
  const own = `test/${family}/${adapter}`;
  if (path !== `${own}.test.ts` && !(path.startsWith(`${own}/`) && path.endsWith('.test.ts'))) return false;
  const text = sources.get(path) ?? '';
  const imported = importsOf(new Map([[path, text]])).some(
    ({ to, typeOnly }) => !typeOnly && to.startsWith('src/testing/'),
  );
  return imported && calls(parse(path, text), suitesOf[family]);
}

const suitesOf: Record<string, readonly string[]> = {
  stores: ['runStoreSuite'],
  sources: ['runSourceSuite'],
  sinks: ['runSinkSuite', 'runCommittingSuite'],
  checkpoints: ['runCheckpointSuite'],
};

function calls(node: ts.Node, names: readonly string[]): boolean {
  if (ts.isCallExpression(node) && names.includes(node.expression.getText())) return true;
  return ts.forEachChild(node, (child) => calls(child, names) || undefined) ?? false;
}

export interface CatalogueEntry {
  readonly title: string;
  readonly hint: string;
  readonly exit: number;
}

/** The page has a heading for each code with its title, says the exit code, and knows no other codes. */
export function errorPage(catalogue: Readonly<Record<string, CatalogueEntry>>, page: string): string[] {
  const sections = new Map(
    page
      .split(/^## /m)
      .slice(1)
      .filter((section) => section.startsWith('HPX-'))
      .map((section) => [section.slice(0, 8), section]),
  );
  const findings = [...sections.keys()]
    .filter((code) => !(code in catalogue))
    .map((code) => `the errors page has ${code}, which no code throws`);
  for (const [code, { title, exit }] of Object.entries(catalogue)) {
    const section = sections.get(code);
    if (section === undefined) findings.push(`the errors page has no heading for ${code}`);
    else if (firstLine(section) !== `${code}: ${title}`)
      findings.push(`the heading of ${code} is not "## ${code}: ${title}"`);
    else if (!section.includes(`Exit code ${exit}.`))
      findings.push(`the section of ${code} does not say "Exit code ${exit}."`);
  }
  return findings;
}

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
}

/** What is installed is used, what is used is installed, and what is promised is there. */
export function manifestAgrees(manifest: Manifest, sources: Sources): string[] {
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const used = new Set(
    importsOf(sources)
      .filter(({ from, to, own }) => from.startsWith('src/') && !own && !to.startsWith('node:'))
      .map(({ to }) => packageOf(to)),
  );
  const targets = [
    ...Object.values(manifest.exports).map((it) => it.default),
    ...Object.values(manifest.bin),
  ];
  return [
    ...declared
      .filter((name) => !used.has(name))
      .map((name) => `the dependency ${name} is imported nowhere in src`),
    ...[...used]
      .filter((name) => !declared.includes(name))
      .map((name) => `src imports ${name}, which is not a dependency`),
    ...targets
      .filter((target) => !sources.has(target.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts')))
      .map((target) => `package.json names ${target}, which has no source`),
  ];
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

export const linesMax = 400;
export const linesToTalkAbout = 250;

export function tooLong(sources: Sources, most: number): string[] {
  return [...sources]
    .filter(([path]) => path.startsWith('src/'))
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > most)
    .map(({ path, lines }) => `${path} has ${lines} lines (more than ${most})`);
}

/** What belongs to one person's machine, or to yesterday. Written so that this file does not match itself. */
const notHere: readonly (readonly [RegExp, string])[] = [
  [
    /\bregistry\.[a-z]+[a-z0-9-]*\.[a-z]{2,}|[/.](?:npmjs|pypi|crates)\.(?:org|com|io)\b/,
    'a package registry',
  ],
  [/(?:^|[\s"'`(=:])\/(?:work|root|home|Users)\/[\w.-]+/m, 'a path of some machine'],
  [/\b(?:TO[D]O|FIX[M]E|X[X]X)\b/, 'a note that somebody still has to do something'],
  [/(?:^|[\s"'`(=])(?:\.\.\/)+shared\//m, 'a folder outside of the project'],
  [/^(?:<{7}|>{7}) /m, 'an unfinished merge'],
];

export function strayText(files: Sources): string[] {
  return [...files].flatMap(([path, text]) =>
    notHere.flatMap(([pattern, what]) => {
      const match = pattern.exec(text);
      if (!match) return [];
      return [`${path}:${text.slice(0, match.index + 1).split('\n').length} has ${what}: ${match[0].trim()}`];
    }),
  );
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
}
export function lockAddresses(lockFile: string): string[] {
  const { packages } = JSON.parse(lockFile) as LockFile;
  return Object.entries(packages)
    .filter(([, { resolved }]) => resolved !== undefined)
    .map(([name]) => `package-lock.json says where ${name} came from`);
}

/** Every import, re-export and lazy import of the files. */
export function importsOf(sources: Sources): Import[] {
  return [...sources].flatMap(([from, text]) => {
    const found: Import[] = [];
    const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
      if (!specifier || !ts.isStringLiteralLike(specifier)) return;
      const own = specifier.text.startsWith('.');
      const to = own ? resolvePath(from, specifier.text) : specifier.text;
      found.push({ from, to, own, typeOnly });
    };
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node))
        add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
      if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
      if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
      if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
        add(node.arguments[0], false);
      ts.forEachChild(node, visit);
    };
    visit(parse(from, text));
    return found;
  });
}

function resolvePath(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

const parsed = new Map<string, ts.SourceFile>();
function parse(path: string, text: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known?.text === text) return known;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  parsed.set(path, file);
  return file;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0];
}
