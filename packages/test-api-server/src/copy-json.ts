/**
 * Deep copy of a JSON value, except for `fieldsV1`, which is only ever replaced; several times as fast as `structuredClone`,
 * which supports more than JSON.
 */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: Record<string, unknown> = {};
  for (const key in value) if (Object.hasOwn(value, key)) copy[key] = key === 'fieldsV1' ? value[key] : copyJson(value[key]);
  return copy as T;
}
