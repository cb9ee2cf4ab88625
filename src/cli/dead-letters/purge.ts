import { chosenLetters } from '../../config/letters.ts';
import { purge as purgeLetters, type StoredLetter } from '../../worker/letters.ts';
import type { ChoiceOptions } from '../commands/dead-letters.ts';
import { withConfiguration } from '../ops/configured.ts';
import { refuseNoChoice } from './choice.ts';

/** `hapax dead-letters purge`: returns the exit code. */
export async function purge(path: string, choice: ChoiceOptions): Promise<number> {
  refuseNoChoice(choice, 'purge');
  return withConfiguration(path, async (configuration) => {
    const letters: StoredLetter[] = [];
    for await (const letter of chosenLetters(configuration, choice)) letters.push(letter);
    await purgeLetters(letters);
    process.stderr.write(`${letters.length} dead letters are gone\n`);
    return 0;
  });
}
