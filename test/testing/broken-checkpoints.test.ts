import { benchOf, Table } from '../../src/testing/broken-checkpoints/table.ts';
import { brokenCheckpoints } from '../../src/testing/broken-checkpoints.ts';
import { checkpointSuite, runCheckpointSuite } from '../../src/testing/checkpoint-suite/checkpoint-suite.ts';
import { testBroken } from './broken-bench.ts';
import { runner } from './runner.ts';

runCheckpointSuite(
  benchOf((clock) => new Table(clock)),
  runner,
);
testBroken(checkpointSuite, brokenCheckpoints);
