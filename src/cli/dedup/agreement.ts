import { payloadOf } from '../../core/event.ts';
import { parsePointer } from '../../core/identity/json-pointer.ts';
import type { Notice } from '../../core/notice.ts';
import { Fate, verdictOf } from '../../core/river/fate.ts';
import { number } from '../report/report.ts';

export interface Sample {
  readonly partition: string;
  readonly offset: number;
}

const samplesMax = 20;

/** Compares with another dedup that wrote its verdict into the events: `true` or "duplicate" = it found a duplicate. */
export class Agreement {
  both = 0;
  neither = 0;
  onlyOurs = 0;
  onlyTheirs = 0;
  readonly ours: Sample[] = [];
  readonly theirs: Sample[] = [];
  readonly #path: readonly string[];

  constructor(pointer: string) {
    this.#path = parsePointer(pointer);
  }

  hear(notice: Notice): void {
    if (notice.type !== 'booked') return;
    const { fates, batch } = notice.part;
    for (let i = 0; i < batch.count; i++) {
      if (fates[i] === Fate.waits) continue;
      const sample = { partition: batch.partition, offset: batch.positions[i] };
      this.#compare(verdictOf(fates[i]) === 'duplicate', this.#isTheirDuplicate(payloadOf(batch, i)), sample);
    }
  }

  /** For programs. */
  summary(): object {
    return {
      both: this.both,
      neither: this.neither,
      only_ours: { count: this.onlyOurs, samples: this.ours },
      only_theirs: { count: this.onlyTheirs, samples: this.theirs },
    };
  }

  /** For people. */
  report(): string[] {
    const row = (name: string, count: number) => `${`  ${name}`.padEnd(16)}${number(count).padStart(14)}`;
    const places = (samples: readonly Sample[]) =>
      samples.map(({ partition, offset }) => `    ${partition} at byte ${offset}`);
    return [
      'duplicates, compared with the other dedup',
      row('both', this.both),
      row('neither', this.neither),
      row('only ours', this.onlyOurs),
      ...places(this.ours),
      row('only theirs', this.onlyTheirs),
      ...places(this.theirs),
    ];
  }

  #compare(ours: boolean, theirs: boolean, sample: Sample): void {
    if (ours === theirs) {
      if (ours) this.both++;
      else this.neither++;
    } else if (ours) {
      if (this.onlyOurs++ < samplesMax) this.ours.push(sample);
    } else if (this.onlyTheirs++ < samplesMax) this.theirs.push(sample);
  }

  #isTheirDuplicate(payload: Uint8Array): boolean {
    const verdict = valueAt(parsed(payload), this.#path);
    return verdict === true || verdict === 'duplicate';
  }
}

function parsed(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString());
  } catch {
    return undefined;
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  for (const token of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}
