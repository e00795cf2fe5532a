import { unsafeLayer } from './layer-path.js';

export const blockSize = 512;
export const padded = (size: number) => Math.ceil(size / blockSize) * blockSize;

/** A size in bytes, or an offset. Throws `UnsafeLayer` for what is none. */
export function sizeOf(value: number | string | null): number {
  const size = typeof value === 'string' && !/^\d+$/.test(value) ? Number.NaN : Number(value);
  if (!Number.isSafeInteger(size) || size < 0) throw unsafeLayer('', `has the size ${String(value).slice(0, 30)}`);
  return size;
}

/** A number in octal digits or, with the highest bit set, in base 256. */
export function numberAt(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  if (((field[0] ?? 0) & 0x80) !== 0) return sizeOf(Number(`0x${field.subarray(1).toString('hex')}`));
  return sizeOf(Number.parseInt(field.toString('latin1').trim().replace(/\0.*$/s, '') || '0', 8));
}
