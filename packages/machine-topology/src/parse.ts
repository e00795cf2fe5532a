/** The machine's memory in bytes. `text` is a `meminfo` file of /proc or of a NUMA node. Throws an Error if it lacks `MemTotal`. */
export function parseMemTotal(text: string): number {
  const kib = /^(?:Node\s+\d+\s+)?MemTotal:\s+(\d+) kB$/m.exec(text)?.[1];
  if (kib === undefined) throw new Error('no line "MemTotal"');
  return Number(kib) * 1024;
}

/** The numbers of a file such as `distance` of a NUMA node, `10 21`. Throws an Error if there is none or one is malformed. */
export function parseNumbers(text: string): number[] {
  return text.trim().split(/\s+/).map(parseNumber);
}

/** The number of a file such as `physical_package_id`. Throws an Error if it is malformed. */
export function parseNumber(text: string): number {
  if (!/^-?\d+\s*$/.test(text)) throw new Error(`not a number: "${text.trim()}"`);
  return Number(text);
}

/** The page size of a folder such as `hugepages-2048kB`, in KiB; undefined for another name. */
export function parseHugePageFolder(name: string): number | undefined {
  const size = /^hugepages-(\d+)kB$/.exec(name)?.[1];
  return size === undefined ? undefined : Number(size);
}
