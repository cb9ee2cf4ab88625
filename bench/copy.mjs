// Reads and writes the bytes, nothing else: node bench/copy.mjs IN OUT
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

const [input, output] = process.argv.slice(2);
const highWaterMark = 1_048_576;
await pipeline(createReadStream(input, { highWaterMark }), createWriteStream(output, { highWaterMark }));
