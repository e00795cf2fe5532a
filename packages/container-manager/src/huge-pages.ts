import type { Quantity } from '@nodeagent/api/helpers';

const prefix = 'hugepages-';
const units: Readonly<Record<string, string>> = { Ki: 'KB', Mi: 'MB', Gi: 'GB', Ti: 'TB' };

/** Bytes of each size of huge pages that the machine has: 0 for one that the list lacks, so that it cannot be used. */
export function hugePageLimits(list: ReadonlyMap<string, Quantity>, sizes: readonly string[]): Record<string, bigint> {
  const limits = Object.fromEntries(sizes.map((size) => [size, 0n]));
  for (const [name, amount] of list) {
    const size = name.startsWith(prefix) ? kernelPageSize(name.slice(prefix.length)) : undefined;
    if (size !== undefined && limits[size] !== undefined) limits[size] = amount.value();
  }
  return limits;
}

/** `2Mi` of a resource's name as the kernel's cgroup files spell it, `2MB`. */
function kernelPageSize(text: string): string | undefined {
  const [, amount, unit = ''] = /^(\d+)(Ki|Mi|Gi|Ti)$/.exec(text) ?? [];
  return amount && `${amount}${units[unit]}`;
}
