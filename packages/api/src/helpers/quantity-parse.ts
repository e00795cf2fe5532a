import { NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';
import { fitsInt64, maxInt64, powerOfTen } from './int64.js';

/** The notation of a quantity: `1500m`, `1Gi` or `12e6`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** The number `mantissa * 10^scale`, with its representation and notation in Kubernetes. */
export interface QuantityParts {
  mantissa: bigint;
  scale: number;
  /** Whether Kubernetes stores it as a decimal of any length instead of a 64-bit integer; the two convert to integers differently. */
  wide: boolean;
  format: QuantityFormat;
  /** The parsed text, if it is equivalent to the canonical one. */
  text?: string;
}

interface Suffix {
  base: 2 | 10;
  exponent: number;
  format: QuantityFormat;
}

const suffixes = new Map<string, Suffix>();
for (const [index, name] of ['', 'k', 'M', 'G', 'T', 'P', 'E'].entries()) {
  suffixes.set(name, { base: 10, exponent: 3 * index, format: 'DecimalSI' });
}
for (const [index, name] of ['n', 'u', 'm'].entries()) {
  suffixes.set(name, { base: 10, exponent: 3 * index - 9, format: 'DecimalSI' });
}
for (const [index, name] of ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].entries()) {
  suffixes.set(name, { base: 2, exponent: 10 * (index + 1), format: 'BinarySI' });
}

/** The unit of finest resolution: finer parts are rounded away from zero. */
const nano = -9;
/** Decimal digits that always fit a 64-bit integer. */
const safeDigits = 18;
/** Larger exponents would cost unbounded time and memory and have no use for resources. */
const longestExponent = 9999;

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongNumber = 'unable to parse numeric part of quantity';
const wrongSuffix = "unable to parse quantity's suffix";

function invalid(text: string, message: string): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.invalidQuantity, message, {
    hint: `${JSON.stringify(text)} is not a quantity: write a number with an optional suffix, such as 500m, 2, 1.5Gi or 12e6`,
    details: { text },
  });
}

const isDigit = (code: number) => code >= 48 && code <= 57;

/** The end of the run of digits that starts at `from`. */
function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function parseSuffix(text: string, from: number): Suffix {
  const suffix = text.slice(from);
  const known = suffixes.get(suffix);
  if (known) return known;
  if (!/^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix) || suffix.endsWith('\n')) throw invalid(text, wrongFormat);
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) throw invalid(text, wrongSuffix);
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > longestExponent) throw invalid(text, wrongSuffix);
  return { base: 10, exponent, format: 'DecimalExponent' };
}

const decimalInteger: Suffix = { base: 10, exponent: 0, format: 'DecimalSI' };

/** Reads a quantity: Kubernetes API, "Quantity". Throws `InvalidQuantity` with the API's wording. */
export function parseQuantity(text: string): QuantityParts {
  if (text === '') throw invalid(text, wrongFormat);
  const sign = text.charCodeAt(0);
  const negative = sign === 45;
  const start = negative || sign === 43 ? 1 : 0;
  const integerEnd = skipDigits(text, start);
  let fractionStart = integerEnd;
  let numberEnd = integerEnd;
  if (text.charCodeAt(integerEnd) === 46) {
    fractionStart = integerEnd + 1;
    numberEnd = skipDigits(text, fractionStart);
  }
  const suffix = numberEnd === text.length ? decimalInteger : parseSuffix(text, numberEnd);

  let digitsStart = start;
  while (digitsStart < integerEnd && text.charCodeAt(digitsStart) === 48) digitsStart++;
  const integer = digitsStart === integerEnd ? '0' : text.slice(digitsStart, integerEnd);
  // The canonical text moves trailing zeros to the exponent, and must be readable too.
  if (suffix.format === 'DecimalExponent' && integer.length - 1 + suffix.exponent > longestExponent) throw invalid(text, wrongSuffix);
  const digits = fractionStart === numberEnd ? integer : integer + text.slice(fractionStart, numberEnd);
  return (
    parseNarrow(text, negative, digits, numberEnd - fractionStart, suffix) ??
    parseWide(text, negative, start, digits, numberEnd, numberEnd - fractionStart, suffix)
  );
}

/** The value as a 64-bit integer with a decimal scale; undefined if that is not how Kubernetes holds it. */
function parseNarrow(text: string, negative: boolean, digits: string, fraction: number, suffix: Suffix): QuantityParts | undefined {
  const { base, exponent, format } = suffix;
  const binary = base === 2;
  if (binary ? fraction > 0 || digits.length + Math.trunc((exponent * 3) / 10) > 14 : digits.length > safeDigits) return undefined;
  const scale = binary ? 0 : exponent - fraction;
  if (scale < nano) return undefined;
  const number = digits.length <= 15 ? BigInt(Number(digits)) : BigInt(digits);
  const magnitude = binary ? number << BigInt(exponent) : number;
  if (!fitsInt64(magnitude)) return undefined;
  const verbatim = binary ? (number & 7n) !== 0n : scale % 3 === 0 && digits.charCodeAt(0) !== 48 && !digits.endsWith('000');
  const parts: QuantityParts = { mantissa: negative ? -magnitude : magnitude, scale, wide: false, format };
  if (verbatim) parts.text = text;
  return parts;
}

/** The value as a decimal of any length, in units of one billionth. */
function parseWide(
  text: string,
  negative: boolean,
  start: number,
  digits: string,
  numberEnd: number,
  fraction: number,
  { base, exponent, format }: Suffix,
): QuantityParts {
  if (numberEnd === start || (numberEnd === start + 1 && text.charCodeAt(start) === 46)) throw invalid(text, wrongNumber);
  const unscaled = base === 2 ? BigInt(digits) << BigInt(exponent) : BigInt(digits);
  const scale = (base === 2 ? 0 : exponent) - fraction;
  if (unscaled === 0n) return { mantissa: 0n, scale, wide: true, format };
  const magnitude = scale >= nano ? unscaled * powerOfTen(scale - nano) : divideUp(unscaled, powerOfTen(nano - scale));
  if (format === 'BinarySI') {
    const one = powerOfTen(-nano);
    if (magnitude > maxInt64 * one) return { mantissa: negative ? -maxInt64 : maxInt64, scale: 0, wide: true, format };
    if (magnitude > 0n && magnitude < one)
      return { mantissa: negative ? -magnitude : magnitude, scale: nano, wide: true, format: 'DecimalSI' };
  }
  return { mantissa: negative ? -magnitude : magnitude, scale: nano, wide: true, format };
}

/** Quotient of two non-negative numbers, rounded up. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
