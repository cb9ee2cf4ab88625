import type { Forgotten } from '../../worker/operations.ts';
import type { ForgetOptions } from '../commands/forget.ts';
import { withConfiguration } from './configured.ts';
import { readAs, sightLines } from './explain.ts';
import { json } from './format.ts';
import { withOperations } from './reach.ts';

/** `hapax forget`: returns the exit code. */
export function forget(path: string, id: string, { scope, json: asJson }: ForgetOptions): Promise<number> {
  return withConfiguration(path, async (configuration) => {
    const forgotten = await withOperations(configuration, (operations) => operations.forget({ id, scope }));
    process.stdout.write(asJson ? json(forgotten) : report(forgotten));
    return forgotten.state === 'refused' ? 1 : 0;
  });
}

const words: Record<Forgotten['state'], string> = {
  none: 'none, the window does not know it',
  forgotten: 'forgotten, a later copy is a first one',
  refused: 'refused, a worker is at work on it; ask again when it is settled, or stop the worker first',
};

function report({ id, state, sights }: Forgotten): string {
  const was = sights.map((sight) => `it was${readAs(sight)}: ${sightLines(sight)}`).join('');
  return `${id}: ${words[state]}\n${was}`;
}
