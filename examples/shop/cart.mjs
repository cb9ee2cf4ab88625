// What is in a cart according to a stream of events. `node examples/shop/cart.mjs events.ndjson cart-505`
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Counts as a shop would that trusts each event: pieces by article. */
export function cartOf(path, cart) {
  const pieces = {};
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const event = JSON.parse(line);
    if (event.type !== 'add_to_cart' || event.cart !== cart) continue;
    pieces[event.sku] = (pieces[event.sku] ?? 0) + event.quantity;
  }
  return pieces;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [path, cart] = process.argv.slice(2);
  console.log(cartOf(path, cart));
}
