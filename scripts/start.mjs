// npm start: on a clean clone as well as later, dedups the example stream and shows what the shop's cart says
// before and after. Installs and builds only what is missing.
import { mkdirSync, rmSync } from 'node:fs';
import { buildDist, install, root, run } from './install.mjs';

install();
await buildDist();

const shop = 'examples/shop';
const out = 'build/shop';
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const dedup = [
  ['dedup', `${shop}/events.ndjson`],
  ['--id', '/event_id'],
  ['--window', '48h'],
  ['--event-time', '/time'],
  ['--body-check'],
  ['--output', `${out}/first.ndjson`],
  ['--duplicates', `${out}/duplicates.ndjson`],
  ['--dead-letter', `${out}/dead-letters.ndjson`],
].flat();
console.log(`$ hapax ${dedup.join(' ')}`);
const code = await run(process.execPath, ['dist/cli/main.js', ...dedup], { cwd: root, stdio: 'inherit' });
if (code !== 0) process.exit(code);

const report = [`${shop}/report.mjs`, `${shop}/events.ndjson`, out];
console.log(`\n$ node ${report.join(' ')}`);
process.exitCode = await run(process.execPath, report, { cwd: root, stdio: 'inherit' });
