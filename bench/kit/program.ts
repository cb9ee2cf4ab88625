import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

export interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

const count = `import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(3, JSON.stringify(process.resourceUsage())));`;

/** What a program of Node costs from its start to its end, as the system counted it. */
export async function costOf(args: readonly string[]): Promise<Cost> {
  const counted = ['--import', `data:text/javascript,${encodeURIComponent(count)}`, ...args];
  const startedAt = performance.now();
  const child = spawn(process.execPath, counted, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  let told = '';
  (child.stdio[3] as Readable).on('data', (chunk: Buffer) => (told += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = (performance.now() - startedAt) / 1_000;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(told) as NodeJS.ResourceUsage;
  return { seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMiB: maxRSS / 1_024 };
}
