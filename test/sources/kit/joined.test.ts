import { test } from 'node:test';
import { joined } from '../../../src/sources/kit/joined.ts';
import { redriveSource } from '../../../src/sources/kit/redrive.ts';
import { benchOf } from '../../../src/testing/broken-sources/bench.ts';
import { runSourceSuite } from '../../../src/testing/source-suite/source-suite.ts';
import { TopicSource } from '../../../src/testing/topic.ts';
import { runner } from '../../testing/runner.ts';

for (const ends of [false, true]) {
  const bench = benchOf(TopicSource, { ends });
  runSourceSuite(
    {
      ...bench,
      open: async (logs) => {
        const place = await bench.open(logs);
        return { ...place, connect: async () => joined(await place.connect(), redriveSource()) };
      },
    },
    {
      test: (name, run) =>
        test(`a topic${ends ? ' that ends' : ''} with another source beside it: ${name}`, run),
      skip: runner.skip,
    },
  );
}
