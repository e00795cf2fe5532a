/**
 * Deep copy of a JSON value, except for `fieldsV1`, which is only ever replaced; several times as fast as `structuredClone`,
 * which supports more than JSON.
 */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  // A spread has the shape of the original at once; most fields are scalars.
  const copy = { ...value } as Record<string, unknown>;
  for (const key in copy) {
    const field = copy[key];
    if (typeof field === 'object' && key !== 'fieldsV1') copy[key] = copyJson(field);
  }
  return copy as T;
}
