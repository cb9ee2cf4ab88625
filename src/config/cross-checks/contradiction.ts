import type { Finding, Path } from '../document.ts';

export function exclude(path: Path, one: string, other: string, hint?: string): Finding {
  return {
    severity: 'error',
    code: 'HPX-C006',
    path,
    message: `${one} and ${other} exclude each other`,
    hint,
  };
}

export function need(path: Path, one: string, other: string, hint?: string): Finding {
  return { severity: 'error', code: 'HPX-C008', path, message: `${one} needs ${other}`, hint };
}
