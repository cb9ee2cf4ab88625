import { booked, type Totals } from '../../core/totals.ts';
import { Violation } from './violation.ts';
import { eventOf, type Entry, type Log } from './topic.ts';

interface Emission {
  readonly event: string;
  readonly partition: string;
  readonly position: number;
}

/** What the world saw: every emission, dead letter and acknowledgement, and what the faults so far allow. */
export class Books {
  readonly emitted: Emission[] = [];
  readonly dead: Emission[] = [];
  readonly acknowledged = new Set<string>();
  /** Events that a policy may drop. */
  readonly droppable = new Set<string>();
  /** How often one event may be emitted beyond the first time. */
  allowed = 0;
  /** The totals may be off: marks were lost, or a checkpoint was moved by hand. */
  unsure = false;
  /** Some emissions are never booked: a partition or a delivery is gone, or the sink denied what it wrote. */
  unbooked = false;
  /** Each delivery with another body goes on for itself. */
  conflictsPass = false;

  emit(entry: Entry, partition: string, position: number): void {
    const event = eventOf(entry);
    this.emitted.push({ event, partition, position });
    const times = this.emitted.filter(
      (e) =>
        e.event === event && (!this.conflictsPass || (e.partition === partition && e.position === position)),
    ).length;
    if (times > 1 + this.allowed)
      throw new Violation(
        'REPEAT',
        `${event} is emitted ${times} times, the faults allow ${1 + this.allowed}`,
      );
  }

  bury(entry: Entry, partition: string, position: number): void {
    this.dead.push({ event: eventOf(entry), partition, position });
  }

  /** It is where it belongs: emitted, or dead-lettered (again, if it was sent again on purpose). */
  isSafe(event: string, redriven = false): boolean {
    const emitted = this.emitted.some((e) => e.event === event);
    const buried = this.dead.filter((e) => e.event === event).length;
    return emitted || buried > (redriven ? 1 : 0) || this.droppable.has(event);
  }

  /** A checkpoint moved: everything below it must be safe, and stand in the totals once. */
  acknowledge(log: Log, from: number, to: number, before: Totals, after: Totals): void {
    if (to > log.end)
      throw new Violation('EARLY', `${log.name} is acknowledged up to ${to}, its end is ${log.end}`);
    for (const entry of log.entries.slice(Math.max(from, log.start), to)) {
      const event = eventOf(entry);
      this.acknowledged.add(event);
      if (!this.isSafe(event, entry.redriven)) {
        throw new Violation(
          entry.redriven ? 'REDRIVE' : 'EARLY',
          `${event} of ${log.name} is acknowledged and nowhere`,
        );
      }
    }
    const count = booked(after) - booked(before);
    const between = to - from;
    if (!this.unsure && (count > between || count < between - log.start)) {
      throw new Violation(
        'BOOKS',
        `${log.name} ${from}…${to}: ${count} deliveries were booked, ${between} were read`,
      );
    }
  }

  /** Everything is done: what the books of all partitions say against what happened. */
  close(totals: readonly Totals[], observe: boolean): void {
    for (const event of this.acknowledged) {
      if (!this.isSafe(event))
        throw new Violation('LOST', `every delivery of ${event} is finished, it is nowhere`);
    }
    if (this.unsure || observe) return;
    const booked = totals.reduce((n, t) => n + t.emitted, 0);
    const buried = new Set(this.dead.map(({ event }) => event));
    const distinct = new Set(
      this.emitted
        .filter(({ event }) => this.acknowledged.has(event) && !buried.has(event))
        .map(({ event }) => event),
    ).size;
    if (booked > this.emitted.length)
      throw new Violation('BOOKS', `${booked} emissions are booked, ${this.emitted.length} happened`);
    if (booked < distinct && !this.unbooked)
      throw new Violation('BOOKS', `${distinct} events were emitted, ${booked} are booked`);
  }
}
