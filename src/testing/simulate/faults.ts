import { tickMsMax } from '../../core/window.ts';
import type { Broker } from './broker.ts';
import type { Crew } from './crew.ts';
import type { Operator } from './operator.ts';
import type { Fault } from './plan.ts';
import type { Step } from './step.ts';
import type { Log } from './topic.ts';
import type { WindowServer } from './window-server.ts';
import type { Worker } from './worker.ts';
import { windowMs, type World } from './world.ts';

type Offer = (fault: Fault, possible: () => boolean, go: () => void) => void;

/** Every fault that the plan still has left and that is possible now. */
export function faults(world: World, crew: Crew, broker: Broker, operator: Operator): Step[] {
  const steps: Step[] = [];
  const offer: Offer = (fault, possible, go) => {
    if (world.left(fault) <= 0 || !possible()) return;
    steps.push({
      weight: 2,
      go: () => {
        world.use(fault);
        go();
      },
    });
  };
  for (const worker of crew.workers) offerAtWorker(offer, worker, world, crew);
  for (const log of world.logs) {
    offerAtBroker(offer, log, world, crew, broker);
    offerByOperator(offer, log, world, crew, operator);
  }
  for (const window of world.windows) {
    offer(
      'fail-over',
      () => window.canFailOver,
      () => {
        failOver(world, crew, window);
      },
    );
    if (world.left('fail-over') > 0)
      steps.push({
        weight: 1,
        go: () => {
          window.catchUp();
        },
      });
  }
  offer(
    'redrive',
    () => world.books.dead.length > 0,
    () => {
      operator.redrive();
    },
  );
  offer(
    'window-end',
    () => true,
    () => {
      endWindow(world);
    },
  );
  return steps;
}

function offerAtWorker(offer: Offer, worker: Worker, world: World, crew: Crew): void {
  offer(
    'kill',
    () => !world.plan.calm || !worker.busy,
    () => {
      crew.kill(worker);
    },
  );
  offer(
    'stall',
    () => !worker.stalled,
    () => {
      crew.stall(worker);
    },
  );
  offer(
    'clock-jump',
    () => true,
    () => {
      const by = (world.chance.pick(3) - 1) * 7_200_000;
      for (const window of world.windows) window.skewMs += world.chance.pick(2) === 0 ? by : 0;
      worker.skewMs += by;
      world.say(`clocks jump by ${by / 3_600_000} h`);
    },
  );
}

function offerAtBroker(offer: Offer, log: Log, world: World, crew: Crew, broker: Broker): void {
  const owner = crew.named(log.owner);
  if (owner && log.listed) {
    offer(
      'rebalance',
      () => true,
      () => {
        broker.rebalance(log, owner);
      },
    );
    offer(
      'hand-over',
      () => !owner.stalled,
      () => {
        broker.handOver(log, owner);
      },
    );
    offer(
      'reread',
      () => true,
      () => {
        broker.reread(log, owner);
      },
    );
  }
  offer(
    'retention',
    () => log.start < log.end,
    () => {
      broker.retain(log);
    },
  );
  offer(
    'unlist',
    () => log.listed && world.logs.length > 1 && (crew.quiet || !world.plan.calm),
    () => {
      broker.unlist(log);
    },
  );
  offer(
    'relist',
    () => !log.listed && !log.retiring,
    () => {
      broker.relist(log);
    },
  );
}

function offerByOperator(offer: Offer, log: Log, world: World, crew: Crew, operator: Operator): void {
  const checkpoint = world.table.checkpointOf(log.name);
  const possible = (): boolean => log.listed && crew.quiet;
  offer(
    'rewind',
    () => checkpoint > 0 && possible(),
    () => {
      operator.rewind(log);
    },
  );
  offer(
    'rewind-by-hand',
    () => checkpoint > 0 && possible(),
    () => {
      operator.move(log, 0, 'rewinds');
    },
  );
  offer(
    'skip',
    () => checkpoint < log.end && possible(),
    () => {
      operator.move(log, checkpoint + 1, 'skips one of');
    },
  );
  offer(
    'recreate',
    () => world.plan.secondLife.length > 0 && possible(),
    () => {
      operator.recreate(log);
    },
  );
  offer(
    'amnesia',
    () => world.table.rows.has(log.name),
    () => {
      world.table.forget(log.name);
      // A store that begins anew takes its time: an epoch that starts from the clock does not come twice.
      world.wire.now++;
      world.books.allowed++;
      world.books.unsure = true;
      world.say(`the checkpoint store forgets ${log.name}`);
    },
  );
}

function failOver(world: World, crew: Crew, window: WindowServer): void {
  window.failOver();
  world.books.allowed += 2;
  world.books.unsure = true;
  world.say('the store fails over to a replica that lags');
  for (const worker of crew.workers) for (const tell of world.lossListeners.get(worker.name) ?? []) tell();
}

function endWindow(world: World): void {
  world.wire.now += windowMs + tickMsMax(windowMs);
  if (world.hasCopies) world.books.allowed++;
  world.say('a window passes');
}
