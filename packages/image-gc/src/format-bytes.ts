/** A size for people, as the kubelet writes it: `512 B`, `1.5 KiB`, `40.0 GiB`. */
export function formatBytes(bytes: bigint): string {
  if (bytes < 1024n) return `${bytes} B`;
  let value = Number(bytes) / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

const units = ['KiB', 'MiB', 'GiB', 'TiB'];
