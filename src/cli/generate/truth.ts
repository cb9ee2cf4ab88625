import type { Cause, Delivery } from '../../traffic/copies.ts';
import { count, plural } from '../ops/format.ts';

/** What a line is, as a line of JSON; `age_ms` = since the first delivery of its action. */
export function truthOf({ action, cause, attempt, at, firstAt, bug }: Delivery, line: number): string {
  const told = {
    line,
    action: action.number,
    cause,
    attempt,
    at: new Date(at).toISOString(),
    age_ms: Math.round(at - firstAt),
    bug,
  };
  return `${JSON.stringify(told)}\n`;
}

export class Counts {
  deliveries = 0;
  readonly #causes = new Map<Cause, number>();
  readonly #bugs = new Map<string, number>();

  add({ cause, bug }: Delivery): void {
    this.deliveries++;
    add(this.#causes, cause);
    if (bug !== undefined) add(this.#bugs, bug);
  }

  get copies(): number {
    return this.deliveries - (this.#causes.get('first') ?? 0);
  }

  report(): string {
    const { deliveries, copies } = this;
    const share = deliveries === 0 ? 0 : (100 * copies) / deliveries;
    const actions = deliveries - copies;
    return `${count(deliveries)} deliveries of ${plural(actions, 'action')}, ${share.toFixed(1)} % copies
${rows(this.#causes)}${this.#bugs.size > 0 ? `of a faulty SDK\n${rows(this.#bugs)}` : ''}`;
  }
}

function add<T>(counts: Map<T, number>, what: T): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function rows(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, n]) => `  ${name.padEnd(12)} ${count(n).padStart(12)}\n`).join('');
}
