import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dependencies = {
  'better-sqlite3': '12.11.1',
  'classic-level': '3.0.0',
  lmdb: '3.5.6',
  'rocksdb-native': '3.18.1',
};
const names = Object.keys(dependencies) as Rival[];
const manifest = `${JSON.stringify({
  private: true,
  dependencies,
  allowScripts: Object.fromEntries(names.map((name) => [name, true])),
})}\n`;

const folder = fileURLToPath(
  new URL(`../../../.services/rivals-node${process.versions.node.split('.')[0]}`, import.meta.url),
);
const marker = join(folder, '.done');

export type Rival = keyof typeof dependencies;

/** Databases that are compared with, of which some are compiled: outside the packages of the project, the first time only. */
export function installRivals(): void {
  if (existsSync(marker) && readFileSync(marker, 'utf8') === manifest) return;
  console.log(`installing ${names.join(', ')} (some minutes) …\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest);
  const { status } = spawnSync('npm', ['install', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('npm install failed');
  writeFileSync(marker, manifest);
}

/** What the package exports. */
export function rival(name: Rival): unknown {
  return createRequire(marker)(name);
}

export function versionOf(name: Rival): string {
  return dependencies[name];
}
