import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
}

/** Runs the real command to its end. */
export function hapax(
  args: readonly string[],
  input: string | Uint8Array = '',
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const child = start(args, env);
  child.stdin?.on('error', () => undefined).end(input);
  return ended(child);
}

export function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } });
}

export async function ended(child: ChildProcess): Promise<Ran> {
  const out: Buffer[] = [];
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out: Buffer.concat(out), err };
}

/** Runs a line of shell in which `hapax` is the command. */
export function shell(line: string, cwd: string): Promise<Ran> {
  const script = `set -o pipefail; hapax() { "${process.execPath}" "${main}" "$@"; }; ${line}`;
  return ended(spawn('bash', ['-c', script], { cwd }));
}
