import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { load, type Configuration, type Loaded } from '../../src/config/load.ts';
import { formatProblems } from '../../src/config/problems.ts';

/** A folder that goes when the test file is done. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'hapax-config-'));
  after(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

export const minimal = `pipeline: shop
source: { file: { path: events.ndjson } }
identity: { scope: [] }
store: { file: { path: ./state } }
sink: { file: { path: unique.ndjson } }
dead_letter: { file: { path: dead.ndjson } }
`;

/** The minimal configuration with these sections in place of its own. */
export function withSections(text: string): string {
  const names = [...text.matchAll(/^(\w+):/gm)].map(([, name]) => name);
  const kept = minimal.split('\n').filter((line) => !names.includes(line.split(':')[0]));
  return `${kept.join('\n')}${text}`;
}

export class Desk {
  readonly folder = folder();
  readonly file = join(this.folder, 'hapax.yaml');

  load(text: string | Uint8Array, variables: Record<string, string> = {}): Promise<Loaded> {
    writeFileSync(this.file, text);
    return load(this.file, variables);
  }

  /** What is told about it, as a person sees it. */
  async told(text: string | Uint8Array, variables: Record<string, string> = {}): Promise<string> {
    return formatProblems('hapax.yaml', (await this.load(text, variables)).problems);
  }

  /** The heads of what is told. */
  async heads(text: string, variables: Record<string, string> = {}): Promise<string[]> {
    return (await this.told(text, variables)).split('\n').filter((line) => line.startsWith('hapax.yaml'));
  }

  async configuration(text: string, variables: Record<string, string> = {}): Promise<Configuration> {
    const loaded = await this.load(text, variables);
    assert.equal(loaded.type, 'settings', formatProblems('hapax.yaml', loaded.problems));
    return loaded;
  }
}
