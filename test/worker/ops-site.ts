import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ended, hapax, start, type Ran } from '../cli/hapax.ts';

/** A folder with a pipeline in it, and the commands of an operator there. */
export class Site {
  readonly folder: string;
  readonly config: string;
  readonly #workers = new Set<ChildProcess>();

  private constructor(folder: string) {
    this.folder = folder;
    this.config = join(folder, 'hapax.yaml');
  }

  /** Each event is `{id, n}`; `more` are further lines of the configuration. */
  static async open(t: TestContext, { follow = true, more = '' } = {}): Promise<Site> {
    const site = new Site(await mkdtemp(join(tmpdir(), 'hapax-ops-')));
    t.after(async () => {
      for (const worker of site.#workers) worker.kill('SIGKILL');
      await rm(site.folder, { recursive: true });
    });
    await writeFile(
      site.config,
      `pipeline: orders
source: { file: { path: "events*.ndjson", follow: ${follow} } }
identity: { id: /id, scope: [] }
store: { file: { path: state } }
sink: { file: { path: unique.ndjson } }
duplicates: { file: { path: duplicates.ndjson } }
dead_letter: { file: { path: dead.ndjson } }
${more}
`,
    );
    return site;
  }

  at(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): Promise<string> {
    return readFile(this.at(name), 'utf8');
  }

  async append(name: string, ...ids: readonly (string | number)[]): Promise<void> {
    await appendFile(this.at(name), ids.map((id) => `${JSON.stringify({ id })}\n`).join(''));
  }

  /** A worker that reads all that is there. */
  async work(received?: number): Promise<ChildProcess> {
    const worker = start(['run', this.config, '--quiet']);
    worker.stderr?.resume();
    this.#workers.add(worker);
    await until(async () => existsSync(this.at('state/hapax.sock')));
    if (received !== undefined) await this.received(received);
    return worker;
  }

  /** Runs it to the end of its input. */
  async runToEnd(): Promise<Ran> {
    return hapax(['run', this.config, '--quiet']);
  }

  async received(count: number): Promise<void> {
    await until(async () => {
      const { books, running } = await this.status();
      return running && books.received === count && books.in_flight === 0;
    });
  }

  run(command: string, ...args: readonly string[]): Promise<Ran> {
    return hapax([command, this.config, ...args]);
  }

  /** What a command prints with --json. */
  async json<T>(command: string, ...args: readonly string[]): Promise<T & { readonly code: number | null }> {
    const { code, out, err } = await this.run(command, ...args, '--json');
    if (out.length === 0) throw new Error(err);
    return { ...(JSON.parse(out.toString()) as T), code };
  }

  status(): Promise<StatusTold> {
    return this.json<StatusTold>('status');
  }
}

export interface StatusTold {
  readonly running: boolean;
  readonly process: number | null;
  readonly books: Readonly<Record<'received' | 'first' | 'duplicate' | 'emitted' | 'in_flight', number>>;
  readonly store: { readonly marks: number } | null;
  readonly input: { readonly done: number; readonly size_bytes: number; readonly done_bytes: number };
  readonly partitions: {
    readonly total: number;
    readonly items: readonly {
      readonly partition: string;
      readonly checkpoint: number | null;
      readonly writer: number | null;
      readonly epoch: number;
    }[];
  };
}

export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

export { ended };
