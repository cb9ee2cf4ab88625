import { benchOf, Desk } from '../../src/testing/broken-committing-sinks/desk.ts';
import { brokenCommittingSinks } from '../../src/testing/broken-committing-sinks.ts';
import { committingSuite, runCommittingSuite } from '../../src/testing/committing-suite/committing-suite.ts';
import { testBroken } from './broken-bench.ts';
import { runner } from './runner.ts';

runCommittingSuite(benchOf(Desk), runner);
testBroken(committingSuite, brokenCommittingSinks);
