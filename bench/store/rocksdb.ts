import type { Contender } from './contender.ts';

interface Database {
  ready(): Promise<void>;
  read(options: object): {
    get(key: Buffer): Promise<Buffer | null>;
    tryFlush(): void;
  };
  write(options: object): {
    tryPut(key: Buffer, value: Buffer): void;
    flush(): Promise<void>;
  };
  close(): Promise<void>;
}

export type RocksDB = new (path: string, options: object) => Database;

/** As in classic-level.ts. It has no way to ask for an fsync of its log. */
export async function rocksdb(RocksDB: RocksDB, path: string): Promise<Contender> {
  const db = new RocksDB(path, { ...(process.env.RK_OPT ? JSON.parse(process.env.RK_OPT) : {}) });
  await db.ready();
  const open = new Set<number>();
  const word = (value: number): Buffer => {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  return {
    claim: async ({ number, keys }) => {
      open.add(number);
      const read = db.read({ capacity: keys.length, autoDestroy: true });
      const asked = keys.map((key) => read.get(key));
      read.tryFlush();
      const found = await Promise.all(asked);
      const value = word(number);
      const write = db.write({ capacity: keys.length + 1, autoDestroy: true });
      write.tryPut(value, Buffer.from(`${Date.now()} open`));
      let firsts = 0;
      keys.forEach((key, i) => {
        const batch = found[i]?.readUInt32LE(0);
        if (batch === undefined) {
          write.tryPut(key, value);
          firsts++;
        } else if (open.has(batch)) throw new Error('held');
      });
      await write.flush();
      return firsts;
    },
    finish: async ({ number }) => {
      const write = db.write({ capacity: 1, autoDestroy: true });
      write.tryPut(word(number), Buffer.from(`${Date.now()} settled`));
      await write.flush();
      open.delete(number);
    },
    close: () => db.close(),
  };
}
