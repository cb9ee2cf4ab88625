import { runCommittingSuite } from '../../src/testing/committing-suite/committing-suite.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { runSinkSuite } from '../../src/testing/sink-suite/sink-suite.ts';
import { runner } from './runner.ts';

const nothing = (): Promise<void> => Promise.resolve();

runCommittingSuite(
  {
    supports: { deadLetters: true },
    open: (clock) => {
      const table = new CommittingTable({ clock });
      return {
        connect: () => table.connect(),
        read: () => table.rows.map(({ payload }) => payload),
        readDeadLetters: () => table.deadLetters.map(({ payload }) => payload),
        close: nothing,
      };
    },
  },
  runner,
);

runSinkSuite(
  {
    supports: { binary: true, durable: false, refuses: false, fails: false, manners: true },
    open: () => {
      const table = new CommittingTable();
      const { sink } = table.connect();
      return {
        sink,
        read: async () => {
          await sink.commit([]);
          return table.rows;
        },
        close: () => sink.close(),
      };
    },
  },
  runner,
);
