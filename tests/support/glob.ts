/** Whether the whole name matches the pattern, in which `*` stands for any characters and `?` for one. */
export function matchesPattern(name: string, pattern: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(name);
}
