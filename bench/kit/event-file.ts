import { open } from 'node:fs/promises';

const recentMax = 100_000;
const template = JSON.stringify({
  event_id: '00000000-0000-4000-8000-000000000000',
  type: 'add_to_cart',
  time: '2026-11-30T10:00:00.000Z',
  tenant: 'shop-eu',
  user: { id: 'u-000000000000', email: 'someone.000000000000@example.org', segments: ['retail', 'loyal'] },
  cart: { sku: 'tea-green-100g', quantity: 1, amount: 7.9, currency: 'EUR' },
  ok: true,
});

/**
 * A file of events of about 300 B, the same for the same numbers. A share of the lines are copies of one of the
 * 100,000 events before. Answers how many events there are.
 */
export async function writeEventFile(path: string, lines: number, copies: number): Promise<number> {
  const line = Buffer.from(`${template}\n`);
  const digits = [...template.matchAll(/0{12}/g)].map(({ index }) => index);
  const random = seeded(lines);
  const file = await open(path, 'w');
  const chunk = Buffer.alloc(line.length * 4_096);
  let used = 0;
  let events = 0;
  for (let k = 0; k < lines; k++) {
    const isCopy = events > 0 && random() < copies;
    const number = isCopy ? events - 1 - Math.floor(random() * Math.min(events, recentMax)) : events++;
    chunk.set(line, used);
    for (const at of digits) writeDigits(chunk, used + at, number);
    // Ids are not in order anywhere else either.
    writeHex(chunk, used + template.indexOf('0'), Math.imul(number, 0x9e3779b1));
    used += line.length;
    if (used === chunk.length || k === lines - 1) {
      await file.write(chunk, 0, used);
      used = 0;
    }
  }
  await file.close();
  return events;
}

function writeDigits(bytes: Buffer, at: number, number: number): void {
  for (let i = 11, rest = number; i >= 0; i--, rest = Math.floor(rest / 10)) bytes[at + i] = 48 + (rest % 10);
}

function writeHex(bytes: Buffer, at: number, number: number): void {
  for (let i = 0; i < 8; i++) {
    const digit = (number >>> (28 - 4 * i)) & 15;
    bytes[at + i] = digit < 10 ? 48 + digit : 87 + digit;
  }
}

/** xorshift32, 0 … 1 */
function seeded(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}
