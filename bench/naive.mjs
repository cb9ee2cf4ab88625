// What one writes in ten minutes: node bench/naive.mjs IN OUT
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

const [input, output] = process.argv.slice(2);
const seen = new Set();
const out = createWriteStream(output);
for await (const line of createInterface({ input: createReadStream(input) })) {
  const { event_id: id } = JSON.parse(line);
  if (seen.has(id)) continue;
  seen.add(id);
  if (!out.write(`${line}\n`)) await once(out, 'drain');
}
out.end();
