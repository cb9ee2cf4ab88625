import { messageOf } from '../core/message-of.ts';

/** Where values from outside come from. */
export interface Outside {
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The text of a file that holds a secret; throws if it cannot be read. */
  readonly secret: (path: string) => string;
}

export interface Substituted {
  readonly text: string;
  /** Something of it is not from the configuration itself. */
  readonly fromOutside: boolean;
  readonly faults: readonly Fault[];
}

export interface Fault {
  /** The piece as it is written, like `${NAME}`. */
  readonly piece: string;
  readonly message: string;
}

/** `${NAME}`, `${NAME:-default}` and `${file:PATH}` get their values, `$${` is a plain `${`. What is put in is not looked at again. */
export function substitute(written: string, outside: Outside): Substituted {
  const faults: Fault[] = [];
  let fromOutside = false;
  const text = written.replace(
    /\$\$\{|\$\{([^}]*)(\}?)/g,
    (piece: string, inner: string | undefined, end) => {
      if (inner === undefined) return '${';
      const found = end ? valueOf(inner, outside) : malformed;
      if (found.fault) faults.push({ piece, message: found.fault });
      fromOutside ||= found.fromOutside ?? false;
      return found.value ?? '';
    },
  );
  return { text, fromOutside, faults };
}

/** The reverse for a text without anything from outside. */
export function escape(text: string): string {
  return text.replaceAll('${', () => '$${');
}

interface Found {
  readonly value?: string;
  readonly fromOutside?: boolean;
  readonly fault?: string;
}

const malformed: Found = {
  fault: 'is neither ${NAME}, ${NAME:-default} nor ${file:PATH}; a plain ${ is written $${',
};

function valueOf(inner: string, { variables, secret }: Outside): Found {
  const path = /^file:(.+)$/.exec(inner)?.[1];
  if (path !== undefined) return secretOf(path, secret);
  const [, name, fallback] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
  if (name === undefined) return malformed;
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  // As a shell has it, an empty variable gets the default, too.
  if (value === undefined || (value === '' && fallback !== undefined))
    return fallback === undefined
      ? { fault: `is not set, and has no default; write \${${name}:-default} to give one` }
      : { value: fallback };
  return { value, fromOutside: true };
}

function secretOf(path: string, secret: Outside['secret']): Found {
  try {
    return { value: secret(path), fromOutside: true };
  } catch (error) {
    return { fault: `cannot be read: ${messageOf(error)}` };
  }
}
