import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CommittingPlace, CommittingSupport } from '../../src/testing/committing-suite/check.ts';
import { committingSuite } from '../../src/testing/committing-suite/committing-suite.ts';
import type { SinkPlace, SinkSupport } from '../../src/testing/sink-suite/check.ts';
import { sinkSuite } from '../../src/testing/sink-suite/sink-suite.ts';
import type { SourcePlace, SourceSupport } from '../../src/testing/source-suite/check.ts';
import { sourceSuite } from '../../src/testing/source-suite/source-suite.ts';
import type { SuiteOf } from '../../src/testing/suite.ts';

function says<Place, Support>(
  checks: SuiteOf<{ open(): Place; supports: Support }, Support>,
  support: keyof Support & string,
  missing: keyof Place & string,
): void {
  test(`${support} without ${missing}`, async () => {
    const needy = Object.values(checks)
      .flat()
      .filter(({ needs }) => needs === support);
    assert.ok(needy.length > 0);
    const place = { close: () => Promise.resolve() } as Place;
    for (const { run } of needy)
      await assert.rejects(() => run({ open: () => place, supports: {} as Support }), {
        message: `supports.${support} needs place.${missing}`,
      });
  });
}

suite('a bench that promises what its place cannot do is told so', () => {
  says<SinkPlace, SinkSupport>(sinkSuite, 'refuses', 'refuse');
  says<SinkPlace, SinkSupport>(sinkSuite, 'fails', 'fail');
  says<SourcePlace, SourceSupport>(sourceSuite, 'grows', 'append');
  says<SourcePlace, SourceSupport>(sourceSuite, 'revokes', 'revoke');
  says<SourcePlace, SourceSupport>(sourceSuite, 'retains', 'retain');
  says<SourcePlace, SourceSupport>(sourceSuite, 'retires', 'retire');
  says<CommittingPlace, CommittingSupport>(committingSuite, 'deadLetters', 'readDeadLetters');
});
