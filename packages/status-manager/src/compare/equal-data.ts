/** Whether two texts or numbers are equal; an empty text and zero equal an absent value. */
export function equalScalars(a: string | number | null | undefined, b: string | number | null | undefined): boolean {
  return (a || undefined) === (b || undefined);
}

/** Whether two pieces of plain JSON are equal; an empty string, list or map, zero, false and null equal an absent value. */
export function equalData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || (isEmpty(a) && isEmpty(b))) return true;
  if (Array.isArray(a) && Array.isArray(b)) return equalLists(a, b, equalData);
  if (!isMap(a) || !isMap(b)) return false;
  for (const key of Object.keys(a)) if (!equalData(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (!(key in a) && !isEmpty(b[key])) return false;
  return true;
}

/** Whether two lists are equal element by element; an empty one equals an absent one. */
export function equalLists<T>(
  a: readonly T[] | null | undefined,
  b: readonly T[] | null | undefined,
  equal: (a: T, b: T) => boolean,
): boolean {
  if (a === b) return true;
  if ((a?.length ?? 0) !== (b?.length ?? 0)) return false;
  return a?.every((element, index) => equal(element, b?.[index] as T)) ?? true;
}

export function isEmpty(value: unknown): boolean {
  if (!value) return true;
  if (typeof value !== 'object') return false;
  return (Array.isArray(value) ? value : Object.keys(value)).length === 0;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
