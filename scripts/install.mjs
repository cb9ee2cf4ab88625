// What the other scripts share: the right Node, the packages, the two builds. No dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

const tsc = 'node_modules/typescript/bin/tsc';

/** Ends the process with a plain message when this Node is older than package.json allows. */
export function requireNode() {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [major, minor] = engines.node.match(/\d+/g).map(Number);
  const [hasMajor, hasMinor] = process.versions.node.split('.').map(Number);
  if (hasMajor > major || (hasMajor === major && hasMinor >= minor)) return;
  fail(
    `Hapax needs Node ${major}.${minor} or newer; this is Node ${process.versions.node}. Install a newer one and run the same command again.`,
  );
}

/**
 * Runs `npm ci` if the packages of the folder are missing or not those of its lock file. Ends with 69 if the
 * registry cannot be reached.
 */
export function install(folder = '.') {
  requireNode();
  if (isInstalled(folder)) return;
  const packages = join(folder, 'node_modules');
  // It would empty the folder behind the link, which belongs to another checkout.
  if (lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink())
    fail(
      `${packages} is a link to packages that are not those of package-lock.json; remove the link and run the same command again`,
    );
  const started = performance.now();
  console.log(`installing packages (npm ci${folder === '.' ? '' : ` in ${folder}`}) …`);
  const { status, error, stderr } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--no-fund', '--no-audit', '--loglevel=error'],
    {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'inherit', 'pipe'],
      timeout: 600_000,
      shell: process.platform === 'win32',
    },
  );
  process.stderr.write(stderr ?? '');
  if (status !== 0)
    fail(
      `npm ci failed${error ? `: ${error.message}` : ''}. Check the network and run the same command again.`,
      /ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/.test(stderr) ? 69 : 1,
    );
  console.log(`installed in ${seconds(started)}`);
}

/** By the record that npm writes last, so that a broken install repeats. Packages for other platforms may be missing. */
function isInstalled(folder) {
  const record = read(join(folder, 'node_modules/.package-lock.json'));
  if (record === undefined) return false;
  const installed = JSON.parse(record).packages;
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(packages).every(([path, { version, optional }]) => {
    if (path === '') return true;
    return installed[path] ? installed[path].version === version : optional === true;
  });
}

/** Compiles src into dist/, the package as users get it, unless it is there for these very sources. */
export async function buildDist() {
  const stamp = 'build/dist.stamp';
  const wanted = hashOf([
    ...filesUnder('src', '.ts'),
    'tsconfig.json',
    'tsconfig.build.json',
    'package-lock.json',
  ]);
  if (read(stamp) === wanted && existsSync('dist/index.js')) return;
  const started = performance.now();
  rmSync('build-dist', { recursive: true, force: true });
  if ((await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', 'build-dist'])) !== 0)
    fail('the sources do not compile (above)');
  rmSync('dist', { recursive: true, force: true });
  renameSync('build-dist', 'dist');
  mkdirSync('build', { recursive: true });
  writeFileSync(stamp, wanted);
  console.log(`built dist in ${seconds(started)}`);
}

/** Compiles everything (src, test, bench) into build/; the compiler itself knows what is stale. */
export async function buildAll() {
  const started = performance.now();
  const incremental = ['--incremental', '--tsBuildInfoFile', 'build/tsc.tsbuildinfo'];
  if ((await run(process.execPath, [tsc, '-p', 'tsconfig.json', ...incremental])) !== 0)
    fail('the sources do not compile (above)');
  console.log(`built tests in ${seconds(started)}`);
}

/** Resolves with the exit code; what the command prints goes where ours goes. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
    child.on('error', (error) => {
      console.error(`${basename(command)}: ${error.message}`);
      resolve(127);
    });
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

/** Paths below a folder whose names end so, sorted, with forward slashes. */
export function filesUnder(folder, ending) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).replaceAll('\\', '/'))
    .sort();
}

export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

export function fail(message, code = 1) {
  console.error(message);
  process.exit(code);
}

function hashOf(paths) {
  const hash = createHash('sha256').update(process.versions.node.split('.')[0]);
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
