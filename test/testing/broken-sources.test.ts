import { test } from 'node:test';
import { brokenSources } from '../../src/testing/broken-sources.ts';
import { benchOf } from '../../src/testing/broken-sources/bench.ts';
import { runSourceSuite, sourceSuite } from '../../src/testing/source-suite/source-suite.ts';
import { TopicSource } from '../../src/testing/topic.ts';
import { testBroken } from './broken-bench.ts';
import { runner } from './runner.ts';

for (const ends of [false, true])
  runSourceSuite(benchOf(TopicSource, { ends }), {
    test: (name, run) => test(`${ends ? 'a topic that ends' : 'a topic'}: ${name}`, run),
    skip: runner.skip,
  });

testBroken(sourceSuite, brokenSources);
