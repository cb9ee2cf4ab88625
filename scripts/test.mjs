// npm test [-- options] [part of a test file's path …]
//
//   --quick       only the tests: no lint, no format check
//   --node PATH   run the tests with another Node
//
// Installs what is missing, builds, checks, runs every test. With CI=true a skipped test is a failure.
// The last line is "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildAll, buildDist, fail, filesUnder, install, run, seconds } from './install.mjs';

const { values: options, positionals: wanted } = parseArgs({
  options: { quick: { type: 'boolean' }, node: { type: 'string', default: process.execPath } },
  allowPositionals: true,
});
const strict = process.env.CI === 'true';
const started = performance.now();

install();
await Promise.all([buildDist(), buildAll()]);
const checked = options.quick ? true : await check();
const tally = await runTests();
report(tally, checked);

async function check() {
  const began = performance.now();
  const codes = await Promise.all([
    run(process.execPath, ['node_modules/eslint/bin/eslint.js', '.']),
    run(process.execPath, ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']),
  ]);
  const names = ['eslint', 'prettier'].filter((_, i) => codes[i] !== 0);
  console.log(
    names.length
      ? `failed: ${names.join(', ')} (${seconds(began)})`
      : `lint and format are clean (${seconds(began)})`,
  );
  return names.length === 0;
}

// The files are gathered here, since what `node --test FOLDER` means differs between versions of Node.
async function runTests() {
  const files = filesUnder('test', '.test.ts')
    .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
    .map((path) => `build/${path.replace(/ts$/, 'js')}`);
  if (files.length === 0) fail(`no test file matches ${wanted.join(' ')}`);
  const version = spawnSync(options.node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
  if (!version) fail(`${options.node} is not a Node that runs`);
  console.log(`running ${files.length} test files with Node ${version.slice(1)}`);

  const tallyFile = `build/tally-${process.pid}.json`;
  const code = await run(
    options.node,
    [
      '--enable-source-maps',
      '--test',
      '--test-concurrency=2',
      '--test-timeout=300000',
      '--import=./scripts/test-leaks.mjs',
      '--test-reporter=./scripts/test-reporter.mjs',
      '--test-reporter-destination=stdout',
      ...files,
    ],
    { env: { ...process.env, HAPAX_TALLY: tallyFile } },
  );
  if (!existsSync(tallyFile)) fail(`the test runner ended with ${code} and left no result`);
  const tally = JSON.parse(readFileSync(tallyFile, 'utf8'));
  rmSync(tallyFile);
  if (code !== 0 && tally.failed === 0) fail(`the test runner ended with ${code} though no test failed`);
  return tally;
}

function report({ passed, failed, skipped }, checked) {
  if (skipped.length > 0) {
    console.log(`\nskipped ${skipped.length}:`);
    for (const { name, file, reason } of skipped)
      console.log(`  ${file}: ${name} (${reason || 'no reason given'})`);
    if (strict) console.log('CI=true: everything is required here, so a skipped test counts as failed');
  }
  if (!checked) console.log('\nlint or format failed (above); it counts as one failure');
  const failures = failed + (checked ? 0 : 1) + (strict ? skipped.length : 0);
  console.log(`\nfinished in ${seconds(started)}`);
  console.log(
    `${passed} passed, ${failures} failed${skipped.length && !strict ? `, ${skipped.length} skipped` : ''}`,
  );
  process.exitCode = failures === 0 && passed > 0 ? 0 : 1;
}
