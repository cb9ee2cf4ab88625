import type { Batch } from '../event.ts';
import { Unidentified, type Identity, type Keys, type TypedId } from '../identity.ts';
import { HapaxError } from '../errors.ts';
import type { Chaskey } from './chaskey.ts';
import { Content } from './content.ts';
import { eventTime } from './event-time.ts';
import { keyVersion, macFor, nameOf, StandIns, type KeySpace } from './fingerprint.ts';
import type { JsonScanner } from './json-scan.ts';
import { Message, viewOf } from './message.ts';
import type { Part } from './part.ts';
import { Utf8Check } from './utf8.ts';

export interface KeySettings extends KeySpace {
  /** Gives `bodies` and `standIns`; `exclude`: JSON Pointers to what may change from one copy to the next. */
  readonly bodyCheck?: { readonly exclude?: readonly string[] } | undefined;
  /** `fingerprint`: what has no id is identified by its content. */
  readonly unidentified?: 'fingerprint' | 'dead-letter' | 'pass' | 'stop' | undefined;
}

/** How the key of a delivery is made: the parts of its scope, then its id. */
export interface Recipe {
  /** Reads the payload before the parts do; recipes of one identity share it. */
  readonly scanner?: JsonScanner | undefined;
  readonly scope: readonly Part[];
  readonly id: Part;
  /** The scanner's slot of the event's own time. */
  readonly timeSlot?: number | undefined;
}

/** An identity by recipes: all deliveries have the first, unless `choose` says which. */
export class KeyedIdentity implements Identity {
  readonly signature: string;
  readonly keySpace: string;
  readonly #recipes: readonly Recipe[];
  readonly #choose: ((batch: Batch, i: number) => number) | undefined;
  readonly #scanner: JsonScanner | undefined;
  readonly #timed: boolean;
  readonly #mac: Chaskey;
  readonly #bodyMac: Chaskey;
  readonly #body: Content | undefined;
  readonly #content: Content | undefined;
  readonly #standIns: StandIns;
  readonly #message = new Message();

  constructor(
    settings: KeySettings,
    recipes: readonly [Recipe, ...Recipe[]],
    choose?: (batch: Batch, i: number) => number,
  ) {
    const { pipeline, replay, bodyCheck, unidentified } = settings;
    this.keySpace = nameOf(settings);
    this.#recipes = recipes;
    this.#choose = choose;
    this.#timed = recipes.some((recipe) => recipe.timeSlot !== undefined);
    this.#mac = macFor(settings, 'id');
    this.#scanner = recipes.find(({ scanner }) => scanner)?.scanner;
    for (const recipe of recipes) makeKeysInScanner(recipe, this.#mac);
    this.#bodyMac = macFor(settings, 'body');
    this.#body = bodyCheck && new Content({ exclude: bodyCheck.exclude ?? [] });
    this.#content = unidentified === 'fingerprint' ? new Content({}) : undefined;
    this.#standIns = new StandIns(settings);
    this.signature = JSON.stringify({
      key: keyVersion,
      pipeline,
      replay,
      recipes: recipes.map(({ scope, id }) => ({
        scope: scope.map((part) => part.signature),
        id: id.signature,
      })),
      content: this.#content && true,
      body: bodyCheck && (bodyCheck.exclude ?? []).toSorted(),
    });
  }

  identify(batch: Batch): Keys {
    const { count } = batch;
    const fingerprints = new Uint32Array(count * 4);
    const reasons = new Uint8Array(count);
    const times = this.#timed ? new Float64Array(count) : undefined;
    const view = viewOf(batch.bytes);
    const utf8 = new Utf8Check(batch);
    const scanner = this.#scanner;
    for (let from = 0, to = count; from < count; from = to, to = count) {
      if (scanner) {
        to = scanner.scanBatch(batch, from, count);
        fingerprints.set(scanner.keys.subarray(0, (to - from) * 4), from * 4);
      }
      for (let i = from; i < to; i++) {
        const recipe = this.#recipes[this.#choose ? this.#choose(batch, i) : 0];
        const flaw = batch.flaws ? batch.flaws[i] : Unidentified.no;
        const hasKey = recipe.scanner?.hasKey(i) && flaw === Unidentified.no && utf8.holds(i);
        if (!hasKey) {
          reasons[i] = flaw || this.#read(recipe, batch, i, view, utf8);
          if (reasons[i] === Unidentified.no) this.#message.fingerprint(this.#mac, fingerprints, i * 4);
          else this.#standIns.fingerprint(batch, i, fingerprints, i * 4);
        }
        if (times) times[i] = timeOf(recipe, batch, i);
      }
    }
    return {
      fingerprints,
      reasons,
      ...(times && { times }),
      ...(this.#body && this.#check(this.#body, batch)),
    };
  }

  fingerprintOf(id: TypedId, scope: readonly TypedId[] = []): Uint32Array {
    const [recipe] = this.#recipes;
    if (scope.length !== recipe.scope.length) {
      throw new HapaxError(
        'HPX-C010',
        `a key has ${String(recipe.scope.length)} parts of scope here, not ${String(scope.length)}`,
      );
    }
    const fingerprint = new Uint32Array(4);
    this.#message.clear();
    recipe.scope.forEach((part, k) => part.putTyped(this.#message, scope[k]));
    recipe.id.putTyped(this.#message, id);
    this.#message.fingerprint(this.#mac, fingerprint, 0);
    return fingerprint;
  }

  /** Puts the parts of the key of a delivery that the scanner gave none into the message, or says why it has no id. */
  #read(recipe: Recipe, batch: Batch, i: number, view: DataView, utf8: Utf8Check): Unidentified {
    const unread = recipe.scanner ? unreadable(recipe.scanner, utf8, i) : Unidentified.no;
    const reason = unread || this.#put(recipe, batch, i, view);
    if (reason === Unidentified.no || !this.#content) return reason;
    this.#putContent(this.#content, recipe, batch, i, view);
    return Unidentified.no;
  }

  #put({ scope, id }: Recipe, batch: Batch, i: number, view: DataView): Unidentified {
    const message = this.#message;
    message.clear();
    let scopeReason: Unidentified = Unidentified.no;
    for (let k = 0; k < scope.length; k++) {
      if (scope[k].put(message, batch, i, view) !== Unidentified.no) scopeReason = Unidentified.scope;
    }
    const idReason = id.put(message, batch, i, view);
    return idReason === Unidentified.no ? scopeReason : idReason;
  }

  /** What has no id is known by its content, within what there is of its scope. */
  #putContent(content: Content, { scope }: Recipe, batch: Batch, i: number, view: DataView): void {
    this.#message.clear();
    for (const part of scope) {
      if (part.put(this.#message, batch, i, view) !== Unidentified.no) this.#message.absent();
    }
    content.put(this.#message, batch, i);
  }

  #check(body: Content, batch: Batch): Pick<Required<Keys>, 'bodies' | 'standIns'> {
    const bodies = new Uint32Array(batch.count * 2);
    const standIns = new Uint32Array(batch.count * 4);
    const sum = new Uint32Array(4);
    for (let i = 0; i < batch.count; i++) {
      this.#message.clear();
      body.put(this.#message, batch, i);
      this.#message.fingerprint(this.#bodyMac, sum, 0);
      bodies.set(sum.subarray(0, 2), i * 2);
      this.#standIns.fingerprint(batch, i, standIns, i * 4);
    }
    return { bodies, standIns };
  }
}

/** Where a key is made of nothing but what the scanner finds, it makes ordinary keys by itself. */
function makeKeysInScanner({ scanner, scope, id }: Recipe, mac: Chaskey): void {
  const slots = [...scope, id].map((part) => part.slot);
  if (scanner && slots.every((slot) => slot !== undefined)) scanner.keyBy(slots, mac);
}

function unreadable(scanner: JsonScanner, utf8: Utf8Check, i: number): Unidentified {
  if (utf8.holds(i)) return scanner.isValid(i) ? Unidentified.no : Unidentified.malformed;
  scanner.forget(i);
  return Unidentified.encoding;
}

function timeOf({ scanner, timeSlot: slot }: Recipe, { bytes }: Batch, i: number): number {
  if (scanner === undefined || slot === undefined) return NaN;
  const at = scanner.at(i, slot);
  return eventTime(bytes, scanner.found[at], scanner.starts[at], scanner.ends[at]);
}
