import { benchOf, ShelfSink } from '../../src/testing/broken-sinks/shelf.ts';
import { brokenSinks } from '../../src/testing/broken-sinks.ts';
import { runSinkSuite, sinkSuite } from '../../src/testing/sink-suite/sink-suite.ts';
import { testBroken } from './broken-bench.ts';
import { runner } from './runner.ts';

runSinkSuite(benchOf(ShelfSink), runner);
testBroken(sinkSuite, brokenSinks);
