import type { QuantityText } from '@nodeagent/api';
import { isHugePages, Quantity } from '@nodeagent/api/helpers';

/** An amount as the API writes it (`1536Mi`, `250m`), or a number of bytes, CPUs or pieces. */
export type Amount = QuantityText | number | bigint;

/** The amount as a number, with fractions up to a billion. */
function numberOf(amount: Amount): number {
  if (typeof amount !== 'string') return Number(amount);
  const quantity = Quantity.parse(amount);
  const whole = Number(quantity.value());
  return Math.abs(whole) < 1e9 ? Number(quantity.scaledValue(-9)) / 1e9 : whole;
}

/** Three significant digits, but never fewer than the whole number has. */
const rounded = (value: number): number => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Bytes for people: `512 B`, `1.5 GiB`, `954 MiB` for `1G`. Throws `InvalidQuantity`. */
export function formatBytes(amount: Amount): string {
  let value = numberOf(amount);
  let unit = 0;
  for (; Math.abs(rounded(value)) >= 1024 && unit < byteUnits.length - 1; unit++) value /= 1024;
  return `${rounded(value)} ${byteUnits[unit]}`;
}

/** CPUs for people: `0.25 CPUs` for `250m`, `1 CPU`, `1.5 CPUs`; `< 0.001 CPUs` for less than a thousandth. Throws `InvalidQuantity`. */
export function formatCpu(amount: Amount): string {
  const value = numberOf(amount);
  if (value > 0 && value < 0.001) return '< 0.001 CPUs';
  const shown = value < 1 ? Number(value.toFixed(3)) : rounded(value);
  return `${shown} ${shown === 1 ? 'CPU' : 'CPUs'}`;
}

/** The amount of a resource for people: CPU, memory and storage with their unit, others as a plain number. Throws `InvalidQuantity`. */
export function formatResource(name: string, amount: Amount): string {
  if (name === 'cpu') return formatCpu(amount);
  if (name === 'memory' || name === 'storage' || name === 'ephemeral-storage' || isHugePages(name)) return formatBytes(amount);
  return String(rounded(numberOf(amount)));
}
