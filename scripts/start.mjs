// npm start: on a clean clone as well as later, runs a worker over the example stream and shows what the shop's cart
// says before and after. Installs and builds only what is missing.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildDist, install, root, run } from './install.mjs';

install();
await buildDist();

const shop = 'examples/shop';
const out = 'build/shop';
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const config = `${shop}/hapax.yaml`;
console.log(`$ SHOP_OUT=$PWD/${out} hapax run ${config} --quiet --summary text`);
const code = await run(
  process.execPath,
  ['dist/cli/main.js', 'run', config, '--quiet', '--summary', 'text'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SHOP_OUT: join(root, out) },
  },
);
if (code !== 0) process.exit(code);

const report = [`${shop}/report.mjs`, `${shop}/events.ndjson`, out];
console.log(`\n$ node ${report.join(' ')}`);
process.exitCode = await run(process.execPath, report, { cwd: root, stdio: 'inherit' });
