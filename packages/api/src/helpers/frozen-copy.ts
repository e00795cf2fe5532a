/** Deep-copies plain data and deep-freezes the copy, except for byte arrays, so that it can be shared. */
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
