import type { Crew } from './crew.ts';
import { keySpace } from './keys.ts';
import { entriesOf } from './plan.ts';
import type { Log } from './topic.ts';
import type { World } from './world.ts';

/** A person who moves checkpoints, makes topics anew and sends dead letters again; all workers are stopped for it. */
export class Operator {
  readonly #world: World;
  readonly #crew: Crew;

  constructor(world: World, crew: Crew) {
    this.#world = world;
    this.#crew = crew;
  }

  /** An operator stops everybody, then moves the checkpoint with the tool: taken, entered, trimmed, moved. */
  rewind(log: Log): void {
    const world = this.#world;
    this.#crew.restartCalmly();
    world.say(`operator rewinds ${log.name} to 0 with the tool`);
    const taken = world.table.take({ partition: log.name, above: 0 });
    const { epoch, checkpoint = 0, writer } = taken;
    const session = { kind: 'partition', keySpace, partition: log.name, epoch } as const;
    const settleBelow = world.plan.committing &&
      writer !== undefined && { settleBelow: { checkpoint, writer } };
    for (const window of world.windows) {
      void window.carryOut((store) => store.enter([{ session, ...settleBelow }]));
      void window.carryOut((store) => store.trim(session, checkpoint));
    }
    world.table.write({
      partition: log.name,
      epoch,
      checkpoint: 0,
      totals: taken.totals,
      moved: true,
    });
    world.table.reached.delete(log.name);
    world.books.unsure = true;
  }

  move(log: Log, to: number, verb: string): void {
    const world = this.#world;
    this.#crew.restartCalmly();
    const row = world.table.rows.get(log.name);
    if (row) world.table.rows.set(log.name, { ...row, checkpoint: to, writer: undefined });
    else
      world.table.rows.set(log.name, {
        ...world.table.take({ partition: log.name, above: 0 }),
        checkpoint: to,
        writer: undefined,
      });
    world.table.reached.set(log.name, to);
    world.books.unsure = true;
    if (world.plan.committing) world.books.allowed++;
    world.say(`operator ${verb} ${log.name}: checkpoint ${to}`);
  }

  recreate(log: Log): void {
    const world = this.#world;
    this.#crew.restartCalmly();
    const p = world.logs.indexOf(log);
    log.entries = entriesOf(world.plan.secondLife[p] ?? '', `${log.name} again:`);
    log.start = 0;
    world.table.reached.delete(log.name);
    const row = world.table.rows.get(log.name);
    if (row) world.table.rows.set(log.name, { ...row, checkpoint: 0, writer: undefined });
    world.books.unsure = true;
    if (world.plan.committing) world.books.allowed++;
    world.say(`${log.name} is deleted and created again`);
  }

  redrive(): void {
    const world = this.#world;
    const { dead } = world.books;
    const letter = dead[world.chance.pick(dead.length)];
    const [, key, body] = /^([^']*)('*)$/.exec(letter.event) ?? [];
    const log = world.logs[world.chance.pick(world.logs.length)];
    if (key.startsWith('?')) return;
    log.entries = [...log.entries, { key, body: body.length, redriven: true }];
    world.say(`operator redrives ${letter.event} into ${log.name}`);
  }
}
