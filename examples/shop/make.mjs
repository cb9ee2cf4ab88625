// Makes events.ndjson: ten minutes of a small shop, the same on every run. `node examples/shop/make.mjs`
import { writeFileSync } from 'node:fs';

const random = seeded(20261130);
const start = Date.parse('2026-11-30T10:00:00Z');
const skus = [
  ['mug-blue', 12.5],
  ['tea-green-100g', 7.9],
  ['kettle-1l', 39],
  ['honey-500g', 9.2],
  ['spoon-oak', 4.4],
];

const stream = [];
for (let visit = 0; visit < 18; visit++) stream.push(...shopping(visit));
stream.sort((a, b) => a.at - b.at);

reuseId(stream);
loseIds(stream);
retryAddToCart(stream);
redeliverBlock(stream);

stream.sort((a, b) => a.at - b.at);
writeFileSync(new URL('events.ndjson', import.meta.url), stream.map(({ line }) => line + '\n').join(''));

/** One customer looks around, fills a cart and mostly pays. */
function shopping(visit) {
  const who = { user: `user-${String(101 + visit)}`, session: uuid(), cart: `cart-${String(501 + visit)}` };
  let at = start + visit * 25_000 + Math.floor(random() * 40_000);
  const events = [];
  const happen = (type, more) => {
    at += 2_000 + Math.floor(random() * 25_000);
    events.push(delivery(at, { event_id: uuid(), type, time: new Date(at).toISOString(), ...who, ...more }));
  };
  const [sku, price] = skus[visit % skus.length];
  happen('page_view', { path: `/p/${sku}` });
  if (visit % 3 === 1) happen('page_view', { path: '/delivery' });
  happen('add_to_cart', { sku, quantity: 1, amount: price });
  if (visit % 2 === 0) happen('page_view', { path: '/cart' });
  if (visit % 4 !== 3) happen('checkout', { amount: price });
  if (visit % 4 !== 3) happen('payment', { amount: price, method: visit % 2 ? 'card' : 'transfer' });
  return events;
}

/** The connection of a mobile client breaks in mid-send; it sends the same bytes again, and again. */
function retryAddToCart(events) {
  const first = events.find(({ event }) => event.cart === 'cart-505' && event.type === 'add_to_cart');
  for (const seconds of [3, 11]) events.push({ ...first, at: first.at + seconds * 1_000 });
}

/** A broker was restarted and delivers a block once more, in order. */
function redeliverBlock(events) {
  const block = events.slice(53, 63);
  const at = events[72].at;
  block.forEach((it, k) => events.push({ ...it, at: at + k }));
}

/** An old client gives no ids, or null. */
function loseIds(events) {
  const views = events.flatMap(({ event }, k) => (event.path === '/cart' ? [k] : []));
  for (const [k, id] of [
    [views[1], undefined],
    [views[3], null],
    [views[5], undefined],
  ]) {
    events[k] = delivery(events[k].at, { ...events[k].event, event_id: id });
  }
}

/** A faulty client uses the id of its page view for what it does next. */
function reuseId(events) {
  const view = events.find(({ event }) => event.cart === 'cart-511' && event.type === 'page_view');
  const next = events.findIndex(({ event }) => event.cart === 'cart-511' && event.type === 'add_to_cart');
  events[next] = delivery(events[next].at, { ...events[next].event, event_id: view.event.event_id });
}

function delivery(at, event) {
  return { at, event, line: JSON.stringify(event) };
}

function uuid() {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  hex[12] = '4';
  hex[16] = '89ab'[Math.floor(random() * 4)];
  return [8, 4, 4, 4, 12].map((size) => hex.splice(0, size).join('')).join('-');
}

/** mulberry32 */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
