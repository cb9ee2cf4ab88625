import { dirname, resolve } from 'node:path';
import { crossCheck, type Facts } from './cross-checks.ts';
import { placed, writtenAt, type Document, type Finding, type Secret } from './document.ts';
import { findingsOf } from './issues.ts';
import { parse } from './parse.ts';
import { byPlace, type Problem } from './problems.ts';
import { readSecret, readText } from './read-text.ts';
import { schema, type Settings } from './schema.ts';

export type Loaded = Configuration | { readonly type: 'refused'; readonly problems: readonly Problem[] };

export interface Configuration {
  readonly type: 'settings';
  readonly settings: Settings;
  /** Absolute; relative paths in the settings count from here. */
  readonly folder: string;
  readonly secrets: readonly Secret[];
  /** Warnings and notes. */
  readonly problems: readonly Problem[];
}

/** Reads and checks a configuration; starts nothing. All problems at once, in the order of their places. */
export async function load(path: string, variables: NodeJS.ProcessEnv): Promise<Loaded> {
  const text = await readText(path);
  if (typeof text !== 'string') return { type: 'refused', problems: [text] };
  const folder = dirname(resolve(path));
  const document = parse(text, { variables, secret: (file) => readSecret(resolve(folder, file)) });
  const { settings, findings } = check(document, resolve(path), folder);
  const told = findings.map((finding) => placed(finding, document));
  const problems = [...document.problems, ...told].sort(byPlace);
  if (!settings || problems.some(({ severity }) => severity === 'error'))
    return { type: 'refused', problems };
  return { type: 'settings', settings, folder, secrets: document.secrets, problems };
}

/** What belongs together is only looked at when each setting is right by itself: there would be mistakes that follow from others. */
function check(
  document: Document,
  file: string,
  folder: string,
): { settings?: Settings; findings: Finding[] } {
  if (!document.isYaml) return { findings: [] };
  const { data: settings, error } = schema.safeDecode(document.value as never, { reportInput: true });
  if (error) return { findings: findingsOf(error.issues, document) };
  if (document.problems.length > 0) return { findings: [] };
  const given: Document['has'] = (path) => document.has(path);
  const show: Facts['show'] = (path, value) => writtenAt(path, document.secrets) ?? value;
  return { settings, findings: crossCheck({ settings, given, show, file, folder }) };
}
