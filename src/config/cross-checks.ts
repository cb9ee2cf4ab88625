import { checkCapacity } from './cross-checks/capacity.ts';
import { checkIdentity } from './cross-checks/identity.ts';
import { checkPlaces } from './cross-checks/places.ts';
import { checkPolicies } from './cross-checks/policies.ts';
import type { Document, Finding, Path } from './document.ts';
import type { Settings } from './schema.ts';

export interface Facts {
  readonly settings: Settings;
  /** Whether a setting is written, and is not just the default. */
  readonly given: Document['has'];
  /** A value for people: what came from outside is shown as it is written. */
  readonly show: (path: Path, value: string) => string;
  /** The configuration itself. */
  readonly file: string;
  /** What relative paths count from. */
  readonly folder: string;
}

/** What is right by itself, and wrong or doubtful together. */
export function crossCheck(facts: Facts): Finding[] {
  return [checkIdentity, checkPolicies, checkPlaces, checkCapacity].flatMap((check) => check(facts));
}
