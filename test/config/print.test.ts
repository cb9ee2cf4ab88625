import assert from 'node:assert/strict';
import test from 'node:test';
import { print } from '../../src/config/print.ts';
import { Desk, minimal, withSections } from './workshop.ts';

const desk = new Desk();

test('all settings are printed, with their defaults and units', async () => {
  assert.equal(
    print(await desk.configuration(minimal)),
    `pipeline: shop
source:
  file:
    path:
      - events.ndjson
    follow: false
    lines: false
    line_size_max: 16MiB
identity:
  id: /event_id
  scope: []
  body_check: false
window: 2d
store:
  file:
    path: ./state
    when_full: wait
sink:
  file:
    path: unique.ndjson
dead_letter:
  file:
    path: dead.ndjson
policies:
  unidentified: dead-letter
  conflict: dead-letter
  late: pass
  store: wait
  held: wait
  held_max: 5m
  sink: wait
  observe: false
limits:
  drain: 30s
  batches_in_flight_max: 4
  ahead_max: 1000000
  waiting_max: 10000
  audit_every: 1m
log:
  level: info
`,
  );
});

test('what came from outside is printed as it was written, wherever it stands and whatever its name is', async () => {
  const variables = { HARMLESS: 'hunter2', WINDOW: '77d', YES: 'true', COUNT: '123456' };
  const text = withSections(`pipeline: a-\${HARMLESS}
window: \${WINDOW}
source: { file: { path: ["in/\${HARMLESS}"], follow: "\${YES}" } }
sink:
  file:
    path: out/\${HARMLESS}
identity: { scope: ["/\${HARMLESS}"], body_check: "\${YES}" }
limits: { ahead_max: "\${COUNT}", waiting_max: "\${NONE:-77}" }
`);
  const configuration = await desk.configuration(text, variables);
  assert.equal(configuration.settings.pipeline, 'a-hunter2');
  const printed = print(configuration);
  for (const value of ['hunter2', '77d', '123456']) assert.ok(!printed.includes(value), printed);
  for (const written of [
    'a-${HARMLESS}',
    'window: ${WINDOW}',
    'in/${HARMLESS}',
    'follow: ${YES}',
    '/${HARMLESS}',
    'body_check: ${YES}',
  ])
    assert.ok(printed.includes(written), `${written}\n${printed}`);
  assert.ok(printed.includes('waiting_max: 77\n'), 'a default is no secret');
  assert.deepEqual((await desk.configuration(printed, variables)).settings, configuration.settings);
});
