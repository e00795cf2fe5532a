import { powerOfTen } from './int64.js';
import type { QuantityFormat } from './quantity-parse.js';

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * The canonical text of `mantissa * 10^scale`: an integer with the largest suffix that fits. As Kubernetes does it, a number beyond
 * the largest suffix loses its power (`1000E` is written `1`).
 */
export function formatQuantity(mantissa: bigint, scale: number, format: QuantityFormat): string {
  if (mantissa === 0n) return '0';
  if (format !== 'BinarySI') return formatDecimal(mantissa, scale, format);
  return formatBinary(mantissa, scale) ?? formatDecimal(mantissa, scale, 'DecimalSI');
}

function formatDecimal(mantissa: bigint, scale: number, format: QuantityFormat): string {
  let digits = mantissa.toString();
  let exponent = scale;
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  exponent += digits.length - end;
  digits = digits.slice(0, end);
  const surplus = ((exponent % 3) + 3) % 3;
  digits += '0'.repeat(surplus);
  exponent -= surplus;
  if (format === 'DecimalExponent') return exponent === 0 ? digits : `${digits}e${exponent}`;
  return digits + (decimalSuffixes[exponent / 3 + 3] ?? '');
}

/** Undefined if the number is below 1024 or not an integer; it is then formatted in decimal. */
function formatBinary(mantissa: bigint, scale: number): string | undefined {
  const unit = powerOfTen(Math.abs(scale));
  if (scale < 0 && mantissa % unit !== 0n) return undefined;
  let value = scale < 0 ? mantissa / unit : mantissa * unit;
  if (value > -1024n && value < 1024n) return undefined;
  let power = 0;
  while ((value & 1023n) === 0n) {
    value >>= 10n;
    power++;
  }
  return value + (binarySuffixes[power] ?? '');
}
