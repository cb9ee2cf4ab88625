// How test results are shown: a line for each file, the whole story of each failure, nothing else.
// Leaves the counts as JSON in the file that HAPAX_TALLY names.
import { writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { inspect } from 'node:util';

export default async function* report(events) {
  const files = new Map();
  for await (const { type, data } of events) {
    if (type === 'test:stderr' || type === 'test:stdout') yield data.message;
    if (type === 'test:diagnostic' && data.nesting > 0) yield `  ${sourceOf(data.file)}: ${data.message}\n`;
    if (type !== 'test:pass' && type !== 'test:fail') continue;

    const file = sourceOf(data.file ?? data.name);
    const counts = files.get(file) ?? { passed: 0, failed: 0, skipped: [], ms: 0, shown: false };
    files.set(file, counts);
    const wholeFile = data.nesting === 0 && sourceOf(data.name) === file;
    const error = data.details.error?.cause ?? data.details.error;
    const because = data.details.error?.failureType;

    if (data.nesting === 0) counts.ms += data.details.duration_ms;
    if (data.skip !== undefined) counts.skipped.push({ name: data.name, file, reason: reasonOf(data.skip) });
    else if (data.todo !== undefined)
      counts.skipped.push({ name: data.name, file, reason: 'not written yet' });
    else if (wholeFile && type === 'test:pass') {
      // Node reports a file by itself only if no test of its own ran in it.
      counts.failed++;
      yield `\nFAILED ${file}: it has no tests\n`;
    } else if (type === 'test:pass') {
      if (data.details.type !== 'suite') counts.passed++;
    } else if (because !== 'subtestsFailed') {
      counts.failed++;
      yield `\nFAILED ${file}: ${wholeFile ? 'the file as a whole' : data.name}\n${indent(textOf(error))}\n`;
    }
  }
  yield '\n';
  const all = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [file, { passed, failed, skipped, ms }] of all) {
    const counts = [
      `${passed} passed`,
      failed && `${failed} failed`,
      skipped.length && `${skipped.length} skipped`,
    ];
    yield `${failed ? 'not ok' : 'ok    '}  ${file.padEnd(44)} ${counts.filter(Boolean).join(', ')}  ${(ms / 1000).toFixed(1)} s\n`;
  }
  const tally = {
    passed: sum(all.map(([, counts]) => counts.passed)),
    failed: sum(all.map(([, counts]) => counts.failed)),
    skipped: all.flatMap(([, counts]) => counts.skipped),
  };
  if (process.env.HAPAX_TALLY) writeFileSync(process.env.HAPAX_TALLY, JSON.stringify(tally));
}

/** build/test/a.test.js is test/a.test.ts */
function sourceOf(path = '') {
  return relative('.', resolve(path))
    .replaceAll('\\', '/')
    .replace(/^build[^/]*\//, '')
    .replace(/\.js$/, '.ts');
}

function reasonOf(skip) {
  return typeof skip === 'string' ? skip : '';
}

function textOf(error) {
  if (error === undefined || error === null) return 'no reason was given';
  return typeof error === 'string' ? error : inspect(error, { depth: 8, breakLength: 110 });
}

function indent(text) {
  return text.replace(/^/gm, '    ');
}

function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}
