import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';

type Call = (this: FileHandle, ...args: unknown[]) => Promise<unknown>;
type Method = 'write' | 'writev' | 'datasync' | 'sync' | 'truncate';

/** All files of this process stand on it: a write may go down by half, and a sync may fail. */
export class FullDisk {
  readonly #real = new Map<Method, Call>();
  readonly #files: Record<Method, Call>;
  /** What was called, in order. */
  readonly calls: Method[] = [];
  #fullAt: string | undefined;
  readonly #failing = new Map<Method, number>();

  private constructor(files: Record<Method, Call>) {
    this.#files = files;
  }

  static async mount(): Promise<FullDisk> {
    const handle = await open(tmpdir());
    await handle.close();
    const disk = new FullDisk(Object.getPrototypeOf(handle) as Record<Method, Call>);
    disk.#mount();
    return disk;
  }

  /** No write that has this text in it goes down as a whole. */
  isFullAt(text: string): void {
    this.#fullAt = text;
  }

  /** The next calls of this method fail, after so many that do not. */
  fails(method: Method, afterCalls = 0): void {
    this.#failing.set(method, afterCalls);
  }

  hasRoom(): void {
    this.#fullAt = undefined;
    this.#failing.clear();
  }

  unmount(): void {
    for (const [method, real] of this.#real) Object.assign(this.#files, { [method]: real });
  }

  #mount(): void {
    // eslint-disable-next-line @typescript-eslint/no-this-alias
    const disk = this;
    for (const method of ['write', 'writev', 'datasync', 'sync', 'truncate'] as const) {
      const real = this.#files[method];
      this.#real.set(method, real);
      Object.assign(this.#files, {
        async [method](this: FileHandle, ...args: unknown[]) {
          disk.calls.push(method);
          const left = disk.#failing.get(method);
          if (left === 0) throw noSpace(method);
          if (left !== undefined) disk.#failing.set(method, left - 1);
          if (method === 'writev' && disk.#hasNoRoomFor(args[0] as Uint8Array[])) {
            const bytes = Buffer.concat(args[0] as Uint8Array[]);
            await real.call(this, [bytes.subarray(0, bytes.length / 2)], args[1]);
            throw noSpace(method);
          }
          return real.apply(this, args);
        },
      });
    }
  }

  #hasNoRoomFor(pieces: readonly Uint8Array[]): boolean {
    return this.#fullAt !== undefined && Buffer.concat(pieces).includes(this.#fullAt);
  }
}

function noSpace(call: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${call}`), { code: 'ENOSPC' });
}
