import { oneOf, type Chance } from '../core/chance.ts';
import { uuidv7, type Action } from './shop.ts';

/** What faulty SDKs do to ids. */
export const bugNames = ['missing-id', 'constant-id', 'reused-id', 'new-id'] as const;
export type Bug = (typeof bugNames)[number];

const constantId = '00000000-0000-0000-0000-000000000000';

/** Makes the bodies of a client whose SDK is faulty at a share of its actions. */
export class Sdk {
  readonly #chance: Chance;
  readonly #faulty: number;
  #lastId: unknown;

  constructor(chance: Chance, faulty: number) {
    this.#chance = chance;
    this.#faulty = faulty;
  }

  write({ event }: Action): { body: string; bug: Bug | undefined } {
    const bug =
      this.#chance.pick(1_000_000) < this.#faulty * 1_000_000 ? oneOf(this.#chance, bugNames) : undefined;
    const { event_id, ...rest } = event;
    const before = this.#lastId ?? event_id;
    this.#lastId = event_id;
    if (bug === 'missing-id') return { bug, body: JSON.stringify(rest) };
    if (bug === 'constant-id') return { bug, body: JSON.stringify({ event_id: constantId, ...rest }) };
    if (bug === 'reused-id') return { bug, body: JSON.stringify({ event_id: before, ...rest }) };
    return { bug, body: JSON.stringify(event) };
  }

  /** What a client sends when it tries again at this time: the same bytes, unless its SDK makes ids anew. */
  writeAgain(body: string, bug: Bug | undefined, at: number): string {
    if (bug !== 'new-id') return body;
    return JSON.stringify({ ...(JSON.parse(body) as object), event_id: uuidv7(this.#chance, at) });
  }
}
