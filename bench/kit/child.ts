import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program of its own and resolves with the one message that it sends. */
export async function resultOf<T>(program: URL, args: readonly string[]): Promise<T> {
  const child = fork(program, args, {
    execArgv: ['--enable-source-maps', '--expose-gc'],
    serialization: 'advanced',
  });
  let message: T | undefined;
  child.on('message', (it) => (message = it as T));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0 || message === undefined)
    throw new Error(`${program.pathname} ${args.join(' ')} ended with ${code}`);
  return message;
}
