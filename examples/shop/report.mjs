// What the dedup changed for the shop: `node examples/shop/report.mjs events.ndjson FOLDER`, where the folder has
// first.ndjson, duplicates.ndjson and dead-letters.ndjson.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cartOf } from './cart.mjs';

const [raw, folder] = process.argv.slice(2);
const first = join(folder, 'first.ndjson');
const cart = 'cart-505';

const before = cartOf(raw, cart);
const after = cartOf(first, cart);
console.log(`\nThe customer of ${cart} lost the connection and sent the same add_to_cart three times:`);
for (const sku of Object.keys(before)) {
  console.log(`  ${sku.padEnd(16)} ${before[sku]} in the cart without dedup, ${after[sku]} with it`);
}

console.log('\nRevenue, as the payments add up:');
console.log(`  without dedup ${revenue(raw)}, with it ${revenue(first)}`);

console.log('\nWhat could not be decided is kept with its reason:');
for (const { code, reason, offset, body } of lines(join(folder, 'dead-letters.ndjson'))) {
  console.log(`  byte ${String(offset).padStart(5)}  ${code} (${reason}): ${body.slice(0, 60)}…`);
}

function revenue(path) {
  const payments = lines(path).filter(({ type }) => type === 'payment');
  return payments.reduce((sum, { amount }) => sum + amount, 0).toFixed(2);
}

function lines(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
