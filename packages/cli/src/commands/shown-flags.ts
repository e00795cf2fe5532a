import type { FlagValues } from '../flags.js';

/** The flags of the command line for `/flagz`, with defaults. URLs are shown without user, password and query, which may be secret. */
export function shownFlags(values: FlagValues): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shownValue(value)]));
}

function shownValue(value: string | boolean | undefined): string {
  if (typeof value !== 'string') return String(value ?? '');
  if (!/^https?:/i.test(value) || !URL.canParse(value)) return value;
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname}`;
}
