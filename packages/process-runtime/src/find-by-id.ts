/** The value of an ID, or of the one ID that begins with `id`. */
export function findById<T>(values: ReadonlyMap<string, T>, id: string): T | undefined {
  const exact = values.get(id);
  if (exact !== undefined || id === '') return exact;
  const [match, ...more] = [...values.keys()].filter((each) => each.startsWith(id));
  return match === undefined || more.length > 0 ? undefined : values.get(match);
}
