import { oneOf, type Chance } from '../core/chance.ts';
import { Timeline } from './timeline.ts';

/** Something that a customer did once, as the shop would count it. */
export interface Action {
  /** 0, 1, … in the order of happening */
  readonly number: number;
  /** ms since 1970 */
  readonly at: number;
  /** The service that sends it on. */
  readonly producer: string;
  /** Its connection breaks. */
  readonly isMobile: boolean;
  readonly event: Readonly<Record<string, unknown>>;
}

export interface ShopOptions {
  readonly chance: Chance;
  /** ms since 1970 */
  readonly startAt: number;
  /** Actions a second, on average. */
  readonly perSecond: number;
}

const actionsPerVisit = 6;
const checkouts = 8;
const tenants = ['shop-eu', 'shop-uk', 'shop-us'];
const pages = ['/', '/teas', '/mugs', '/sale', '/search', '/delivery'];
const goods = [
  { sku: 'tea-green-100g', price: 7.9 },
  { sku: 'tea-black-250g', price: 11.5 },
  { sku: 'mug-blue', price: 12.5 },
  { sku: 'kettle-1l', price: 39 },
  { sku: 'honey-500g', price: 9.2 },
  { sku: 'spoon-oak', price: 4.4 },
] as const;

type Item = (typeof goods)[number] & { readonly quantity: number };

interface Visit {
  readonly tenant: string;
  readonly user: string;
  readonly session: string;
  readonly isMobile: boolean;
  readonly cart: Item[];
  /** What is still to be done. */
  readonly steps: ('page_view' | 'add_to_cart' | 'purchase')[];
}

/** Visits of a shop without end, action by action in the order of happening; the same chance gives the same bytes. */
export function* shop({ chance, startAt, perSecond }: ShopOptions): Generator<Action> {
  const betweenMs = (1_000 * actionsPerVisit) / perSecond;
  const timeline = new Timeline<Visit | 'somebody comes'>();
  timeline.put(startAt, 'somebody comes');
  for (let number = 0; ;) {
    const at = timeline.nextAt;
    const next = timeline.take();
    if (next === 'somebody comes') {
      timeline.put(at + waitMs(chance, betweenMs), 'somebody comes');
      timeline.put(at, newVisit(chance));
    } else if (next) {
      yield { number: number++, at, ...step(chance, next, at) };
      if (next.steps.length > 0) timeline.put(at + 1_000 + chance.pick(40_000), next);
    }
  }
}

function newVisit(chance: Chance): Visit {
  const steps: Visit['steps'] = ['page_view'];
  for (let more = chance.pick(7); more > 0; more--) steps.push('page_view');
  const added = chance.choose([3, 4, 2]);
  for (let k = 0; k < added; k++) steps.push('page_view', 'add_to_cart');
  if (added > 0 && chance.pick(2) === 0) steps.push('purchase');
  return {
    tenant: oneOf(chance, tenants),
    user: `user-${String(chance.pick(1_000_000))}`,
    session: hex(chance, 16),
    isMobile: chance.pick(10) < 4,
    cart: [],
    steps,
  };
}

function step(chance: Chance, visit: Visit, at: number): Pick<Action, 'producer' | 'isMobile' | 'event'> {
  const type = visit.steps.shift()!;
  const { tenant, user, session, isMobile, cart } = visit;
  const event = {
    event_id: uuidv7(chance, at),
    type,
    time: new Date(at).toISOString(),
    tenant,
    user,
    session,
    client: isMobile ? 'app' : 'web',
    ...about(chance, type, cart),
  };
  const producer =
    type === 'purchase'
      ? `checkout-api-${String(1 + chance.pick(checkouts))}`
      : isMobile
        ? 'app-gateway'
        : 'web-bff';
  return { producer, isMobile, event };
}

function about(chance: Chance, type: Visit['steps'][number], cart: Item[]): Record<string, unknown> {
  if (type === 'page_view') return { page: { path: oneOf(chance, pages), referrer: oneOf(chance, pages) } };
  if (type === 'purchase') {
    const amount = cart.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
    return {
      order: {
        id: `order-${hex(chance, 10)}`,
        items: cart,
        amount: Number(amount.toFixed(2)),
        currency: 'EUR',
      },
    };
  }
  const item = { ...oneOf(chance, goods), quantity: 1 + chance.choose([8, 2, 1]) };
  cart.push(item);
  return { cart: { ...item, currency: 'EUR' } };
}

/** Times between arrivals that know nothing of each other (exponential). */
function waitMs(chance: Chance, meanMs: number): number {
  return -meanMs * Math.log((1 + chance.pick(1_000_000)) / 1_000_001);
}

/** RFC 9562, but from the run's own chance. */
export function uuidv7(chance: Chance, at: number): string {
  const time = Math.floor(at).toString(16).padStart(12, '0');
  const variant = '89ab'[chance.pick(4)];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(chance, 3)}-${variant}${hex(chance, 3)}-${hex(chance, 12)}`;
}

function hex(chance: Chance, digits: number): string {
  let text = '';
  for (let k = 0; k < digits; k++) text += chance.pick(16).toString(16);
  return text;
}
