import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Throws if two files differ. */
export async function sameBytes(a: string, b: string): Promise<void> {
  const sizes = await Promise.all([stat(a), stat(b)]);
  if (sizes[0].size !== sizes[1].size)
    throw new Error(`the outputs differ: ${sizes[0].size} and ${sizes[1].size} bytes`);
  const highWaterMark = 1_048_576;
  const other = createReadStream(b, { highWaterMark })[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for await (const chunk of createReadStream(a, { highWaterMark }) as AsyncIterable<Buffer>) {
    const { value } = (await other.next()) as { value: Buffer };
    if (!chunk.equals(value)) throw new Error('the outputs differ');
  }
}
