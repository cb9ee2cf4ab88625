import type { Contender } from './contender.ts';

interface Database {
  open(): Promise<void>;
  getMany(keys: readonly Buffer[]): Promise<(Buffer | undefined)[]>;
  batch(operations: readonly object[], options: { sync: boolean }): Promise<void>;
  close(): Promise<void>;
}

export interface ClassicLevel {
  readonly ClassicLevel: new (path: string, options: object) => Database;
}

/** As in sqlite.ts: an entry for each key, and one for each batch. Two batches in flight have no key in common. */
export async function classicLevel({ ClassicLevel }: ClassicLevel, path: string): Promise<Contender> {
  const db = new ClassicLevel(path, {
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    ...(process.env.CL_OPT ? JSON.parse(process.env.CL_OPT) : {}),
  });
  await db.open();
  const open = new Set<number>();
  const word = (value: number): Buffer => {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  return {
    claim: async ({ number, keys }) => {
      open.add(number);
      const found = await db.getMany(keys);
      const value = word(number);
      const puts: object[] = [{ type: 'put', key: value, value: Buffer.from(`${Date.now()} open`) }];
      keys.forEach((key, i) => {
        const batch = found[i]?.readUInt32LE(0);
        if (batch === undefined) puts.push({ type: 'put', key, value });
        else if (open.has(batch)) throw new Error('held');
      });
      await db.batch(puts, { sync: true });
      return puts.length - 1;
    },
    finish: async ({ number }) => {
      const value = Buffer.from(`${Date.now()} settled`);
      await db.batch([{ type: 'put', key: word(number), value }], { sync: true });
      open.delete(number);
    },
    close: () => db.close(),
  };
}
