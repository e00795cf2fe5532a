import { fnv1a128 } from '@nodeagent/api/helpers';

/**
 * A stable digest: 128-bit FNV-1a of the value's JSON with sorted keys and of the given lines, as 32 lower-case hexadecimal digits.
 * It ignores the order of keys and nothing else.
 */
export function stableDigest(value: unknown, ...lines: string[]): string {
  return fnv1a128([JSON.stringify(sorted(value)), ...lines].join('\n'))
    .toString(16)
    .padStart(32, '0');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)]),
  );
}
