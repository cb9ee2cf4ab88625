import { readdirSync, statSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Chance } from '../../../src/core/chance.ts';

const sectorSize = 512;

type Call = (this: FileHandle, ...args: unknown[]) => Promise<{ bytesWritten: number }>;
type Method = 'write' | 'writev' | 'writeFile' | 'truncate' | 'datasync' | 'sync';
type Change =
  | { readonly type: 'bytes'; readonly at: number; readonly bytes: Buffer }
  | { readonly type: 'length'; readonly length: number };

/** What a file is when the power goes. */
interface Disk {
  synced: Buffer;
  readonly pending: Change[];
}

/** The files of a folder as the disk may have them when the power goes. */
export type Image = ReadonlyMap<string, Buffer>;

/**
 * Remembers what the files of this process have written and not synced: of that a loss of power leaves some part, and of
 * the rest some sectors.
 */
export class Platter {
  readonly #real = new Map<Method, Call>();
  readonly #files: Record<Method, Call>;
  /** By inode and time of birth, since a number comes again. */
  readonly #disks = new Map<string, Disk>();
  readonly #heard: () => void;

  private constructor(files: Record<Method, Call>, heard: () => void) {
    this.#files = files;
    this.#heard = heard;
  }

  /** `heard` is told after each call that reaches a file. */
  static async mount(heard: () => void): Promise<Platter> {
    const handle = await open(tmpdir());
    await handle.close();
    const platter = new Platter(Object.getPrototypeOf(handle) as Record<Method, Call>, heard);
    platter.#instead('write', ([bytes, from, size, at]) => [
      { type: 'bytes', at: at as number, bytes: copyOf(bytes, from as number, size as number) },
    ]);
    platter.#instead('writev', ([pieces, at]) => [
      { type: 'bytes', at: at as number, bytes: Buffer.concat(pieces as Uint8Array[]) },
    ]);
    platter.#instead('writeFile', ([text]) => [
      { type: 'bytes', at: 0, bytes: Buffer.from(text as string | Uint8Array) },
    ]);
    platter.#instead('truncate', ([length]) => [{ type: 'length', length: length as number }]);
    platter.#instead('datasync', () => []);
    platter.#instead('sync', () => []);
    return platter;
  }

  unmount(): void {
    for (const [method, real] of this.#real) this.#files[method] = real;
  }

  /** What may be left if the power goes now. */
  lose(folder: string, chance: Chance): Image {
    return new Map(
      readdirSync(folder).map((name) => {
        const disk = this.#disks.get(nameOf(statSync(join(folder, name))));
        return [name, disk ? leftOf(disk, chance) : Buffer.alloc(0)];
      }),
    );
  }

  #instead(method: Method, changesOf: (args: unknown[]) => Change[]): void {
    const real = this.#files[method];
    this.#real.set(method, real);
    const hear = async (handle: FileHandle, changes: Change[]): Promise<void> => {
      const name = nameOf(await handle.stat());
      const disk = this.#disks.get(name) ?? { synced: Buffer.alloc(0), pending: [] };
      this.#disks.set(name, disk);
      disk.pending.push(...changes);
      if (changes.length === 0) disk.synced = disk.pending.splice(0).reduce(changed, disk.synced);
      this.#heard();
    };
    this.#files[method] = async function (...args) {
      const answer = await real.apply(this, args);
      await hear(this, changesOf(args));
      return answer;
    };
  }
}

function nameOf({ ino, birthtimeMs }: Stats): string {
  return `${ino} ${birthtimeMs}`;
}

function copyOf(bytes: unknown, from: number, size: number): Buffer {
  return Buffer.from((bytes as Buffer).subarray(from, from + size));
}

function changed(file: Buffer, change: Change): Buffer {
  if (change.type === 'length') {
    const longer = Buffer.alloc(Math.max(0, change.length - file.length));
    return Buffer.concat([file.subarray(0, change.length), longer]);
  }
  const { at, bytes } = change;
  const after = Buffer.alloc(Math.max(file.length, at + bytes.length));
  file.copy(after);
  bytes.copy(after, at);
  return after;
}

/** The first changes, of the last of them the first sectors, and of those not all. */
function leftOf({ synced, pending }: Disk, chance: Chance): Buffer {
  const made = pending.slice(0, chance.pick(pending.length + 1)).map((change, i, all): Change => {
    if (change.type === 'length' || i < all.length - 1 || chance.pick(2) === 0) return change;
    const sectors = Math.ceil((change.at + 1) / sectorSize) + chance.pick(4);
    return { ...change, bytes: change.bytes.subarray(0, sectors * sectorSize - change.at) };
  });
  const left = made.reduce(changed, synced);
  for (const change of made) {
    if (change.type === 'length') continue;
    const end = Math.min(left.length, change.at + change.bytes.length);
    const first = Math.floor(change.at / sectorSize) * sectorSize;
    for (let at = first; at < end; at += sectorSize) {
      if (chance.pick(3) > 0) continue;
      left.fill(0, at, Math.min(left.length, at + sectorSize));
      left.set(synced.subarray(at, Math.min(left.length, at + sectorSize)), at);
    }
  }
  return left;
}
