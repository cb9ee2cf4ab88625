import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileStore, type FileStore, type FileStoreOptions } from '../../src/stores/file.ts';
import { Life } from '../core/workshop.ts';

type StoreOptions = Omit<FileStoreOptions, 'path'>;

/** A file store over lives of its process: each next one has what the one before had on the disk when it was killed. */
export class StoreLives {
  readonly #options: StoreOptions;
  readonly #folder: string;
  #store: FileStore | undefined;
  #count = 0;

  private constructor(folder: string, options: StoreOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  static async begin(t: TestContext, options: StoreOptions): Promise<StoreLives> {
    const folder = await mkdtemp(join(tmpdir(), 'hapax-lives-'));
    const lives = new StoreLives(folder, options);
    t.after(async () => {
      await lives.#store?.close();
      await rm(folder, { recursive: true });
    });
    return lives;
  }

  /** The store of the next life. */
  async next(options: Partial<StoreOptions> = {}): Promise<FileStore> {
    const before = this.#store;
    const path = join(this.#folder, String(++this.#count));
    if (before) {
      await cp(before.folder, path, { recursive: true, filter: (name) => !name.endsWith('.sock') });
      await before.close();
    }
    return (this.#store = await fileStore({ ...this.#options, ...options, path }));
  }
}

/** A life that ends at this call, and the moment when it has. */
export function lifeUntil(when: 'before' | 'after', call: string): { life: Life; over: Promise<void> } {
  const life = new Life();
  const kill = life.kill.bind(life);
  life.endsAt(when, call);
  const over = new Promise<void>((resolve) => {
    life.kill = () => {
      kill();
      resolve();
    };
  });
  return { life, over };
}
