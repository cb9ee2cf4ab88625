import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeInput, type InputOptions } from './input.ts';
import type { How } from './worker.ts';

const program = fileURLToPath(new URL('./worker.js', import.meta.url));

/** What came of a run. */
export interface End {
  /** Nothing = it came to its end by itself. */
  readonly signal: string | null;
  /** How many steps it took. */
  readonly steps: number;
  /** What it said at its end: its books, or what ended it. */
  readonly said: Readonly<Record<string, unknown>> | undefined;
}

export interface SiteOptions {
  readonly input?: InputOptions;
  /** Lines of the configuration that stand for others, by their first word. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where it is; else a new folder. */
  readonly folder?: string;
}

const usual = {
  pipeline: 'proof',
  source: '{ file: { path: "in/*.ndjson" } }',
  identity: '{ id: /id, scope: [] }',
  window: '48h',
  store: '{ file: { path: state } }',
  sink: '{ file: { path: out/unique.ndjson } }',
  duplicates: '{ file: { path: out/duplicates.ndjson } }',
  dead_letter: '{ file: { path: out/dead.ndjson } }',
};

/** A folder with a configuration and its input, where workers run one after another. */
export class Site {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(t: TestContext, { input, settings, folder }: SiteOptions = {}): Promise<Site> {
    const site = new Site(folder ?? (await mkdtemp(join(tmpdir(), 'hapax-worker-'))));
    if (folder === undefined) t.after(() => rm(site.folder, { recursive: true }));
    await mkdir(join(site.folder, 'out'));
    await site.configure(settings);
    if (input) await makeInput(site.folder, input);
    return site;
  }

  configure(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const lines = Object.entries({ ...usual, ...settings }).map(([name, value]) => `${name}: ${value}\n`);
    return writeFile(this.path('hapax.yaml'), lines.join(''));
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  start(how: How = {}): Run {
    return new Run(spawn(process.execPath, [program, this.path('hapax.yaml'), JSON.stringify(how)], pipes));
  }

  run(how: How = {}): Promise<End> {
    return this.start(how).end;
  }
}

const pipes: SpawnOptions = { stdio: ['ignore', 'pipe', 'inherit'] };

/** A worker that runs. */
export class Run {
  readonly end: Promise<End>;
  readonly #child: ChildProcess;
  readonly #waits: { readonly holds: () => boolean; readonly come: () => void }[] = [];
  /** A byte for each step, then a line. */
  #said = '';
  #steps = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('latin1').on('data', (text: string) => {
      if (!this.#said.includes('\n')) this.#steps += text.split('\n')[0].replaceAll('w', '').length;
      this.#said += text;
      for (const { holds, come } of this.#waits) if (holds()) come();
    });
    this.end = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (_code, signal) => {
        const last = this.#said.split('\n').at(-2);
        const said = last?.startsWith('{') ? (JSON.parse(last) as End['said']) : undefined;
        for (const { come } of this.#waits) come();
        resolve({ signal, steps: this.#steps, said });
      });
    });
  }

  /** Resolves when it has taken so many steps, or ended. */
  took(steps: number): Promise<void> {
    return this.#until(() => this.#steps >= steps);
  }

  /** Resolves when something makes it wait, or it ended. */
  waits(): Promise<void> {
    return this.#until(() => this.#said.includes('w'));
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  #until(holds: () => boolean): Promise<void> {
    return new Promise((come) => {
      if (holds()) come();
      else this.#waits.push({ holds, come });
    });
  }
}
