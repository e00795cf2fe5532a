/** Copies plain data and freezes the copy all the way down, except for bytes: whoever holds it can hand it out as it is. */
export function frozenCopy<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) return structuredClone(value);
  if (Array.isArray(value)) return Object.freeze(value.map(copy));
  const copied: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copied)) copied[key] = copy(copied[key]);
  return Object.freeze(copied);
}
