import type { Contender } from './contender.ts';
import { numberBytes, OpenBatches, stateRow } from './rows.ts';

interface Put {
  readonly type: 'put';
  readonly key: Buffer;
  readonly value: Buffer;
}
interface Database {
  open(): Promise<void>;
  getMany(keys: readonly Buffer[]): Promise<(Buffer | undefined)[]>;
  batch(puts: readonly Put[], options: { sync: boolean }): Promise<void>;
  close(): Promise<void>;
}
export interface Level {
  readonly ClassicLevel: new (path: string, options: object) => Database;
}

const settings = {
  keyEncoding: 'buffer',
  valueEncoding: 'buffer',
  cacheSize: 256 * 1_048_576,
  writeBufferSize: 64 * 1_048_576,
  maxFileSize: 32 * 1_048_576,
};

/** It looks first and writes then: batches in flight have no key in common. */
export async function classicLevel({ ClassicLevel }: Level, path: string): Promise<Contender> {
  const db = new ClassicLevel(path, settings);
  await db.open();
  const open = new OpenBatches();
  return {
    claim: async ({ number, keys }) => {
      open.begin(number);
      const value = numberBytes(number);
      const puts: Put[] = [{ type: 'put', key: value, value: stateRow('open') }];
      const found = await db.getMany(keys);
      keys.forEach((key, i) => {
        const known = found[i];
        if (known) open.refuse(known.readUInt32LE(0));
        else puts.push({ type: 'put', key, value });
      });
      await db.batch(puts, { sync: true });
      return puts.length - 1;
    },
    settle: async ({ number }) => {
      const put: Put = { type: 'put', key: numberBytes(number), value: stateRow('settled') };
      await db.batch([put], { sync: true });
      open.settle(number);
    },
    close: () => db.close(),
  };
}
