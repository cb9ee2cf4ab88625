// npm run bench [-- NAME … [--options]]: runs bench/NAME.ts, or all of bench/, one after another.
// What starts with "--" is passed on.
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { buildAll, buildDist, fail, install, run } from './install.mjs';

install();
await Promise.all([buildDist(), buildAll()]);

const names = process.argv.slice(2).filter((arg) => !arg.startsWith('-'));
const passed = process.argv.slice(2).filter((arg) => arg.startsWith('-'));
// What a bench needs besides itself lies in a folder below.
const all = readdirSync('bench')
  .filter((name) => name.endsWith('.ts'))
  .map((name) => basename(name, '.ts'));
for (const name of names.length > 0 ? names : all) {
  const file = `build/bench/${name}.js`;
  if (!existsSync(file)) fail(`there is no bench/${name}.ts; there are: ${all.join(', ') || 'none'}`);
  const code = await run(process.execPath, ['--enable-source-maps', '--expose-gc', file, ...passed], {
    stdio: 'inherit',
  });
  if (code !== 0) process.exit(code);
}
