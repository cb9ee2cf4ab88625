import { pino, type Logger } from 'pino';
import type { Notice } from '../../core/notice.ts';
import { messageOf } from '../../core/message-of.ts';

const quietMs = 10_000;

/** Tells notices as lines of JSON on standard error, each with a stable `event`. */
export class Logs {
  readonly log: Logger;
  readonly #told = new Map<string, { since: number; left: number }>();

  constructor(pipeline: string, level: string) {
    const destination = pino.destination({ fd: 2, sync: true });
    this.log = pino({ level, base: { pipeline }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  }

  hear(notice: Notice): void {
    switch (notice.type) {
      case 'booked':
        return;
      case 'taken':
      case 'ended':
      case 'retired':
        this.log.debug({ ...notice, event: `partition.${notice.type}`, type: undefined });
        return;
      case 'gap':
        this.log.error({ ...notice, event: 'source.gap', type: undefined });
        return;
      case 'waiting': {
        const { on, attempt, ms, error } = notice;
        const reason = messageOf(error);
        this.#sparingly(`${on}.waiting`, { attempt, retry_ms: ms, reason });
        return;
      }
      case 'held':
        this.#sparingly('claim.held', {
          partition: notice.partition,
          position: notice.position,
          for_ms: notice.forMs,
        });
        return;
      case 'overtaken':
        this.#sparingly('claim.overtaken', { partition: notice.partition, count: notice.count });
        return;
      case 'marks-lost':
        this.log.error({ event: 'store.marks_lost' });
    }
  }

  /** The first of a kind, then one every 10 s that says how many there were. */
  #sparingly(event: string, what: object): void {
    const now = performance.now();
    const told = this.#told.get(event);
    if (told && now - told.since < quietMs) {
      told.left++;
      return;
    }
    this.#told.set(event, { since: now, left: 0 });
    this.log.warn({ event, ...what, ...(told && told.left > 0 && { suppressed: told.left }) });
  }
}
