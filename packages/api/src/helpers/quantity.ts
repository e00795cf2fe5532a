import { invalidArgument } from '../contracts/arguments.js';
import type { QuantityText } from '../objects/meta.js';
import { fitsInt64, maxInt64, minInt64, powerOfTen } from './int64.js';
import { formatQuantity } from './quantity-format.js';
import { parseQuantity, type QuantityFormat } from './quantity-parse.js';

/**
 * An exact amount of a resource, as the API writes it (`100m`, `1.5Gi`, `12e6`): Kubernetes API, "Quantity". Immutable. Computes with
 * integers of any length, and reproduces what Kubernetes does with amounts beyond 64 bits.
 */
export class Quantity {
  static readonly zero: Quantity = /* @__PURE__ */ new Quantity(0n, 0, false, 'DecimalSI', '0');

  readonly format: QuantityFormat;
  readonly #mantissa: bigint;
  readonly #scale: number;
  readonly #wide: boolean;
  readonly #text: string | undefined;

  private constructor(mantissa: bigint, scale: number, wide: boolean, format: QuantityFormat, text?: string) {
    this.#mantissa = mantissa;
    this.#scale = scale;
    this.#wide = wide;
    this.format = format;
    this.#text = text;
  }

  /** Reads a quantity's text, or a bare number of a manifest. Throws `InvalidQuantity`. */
  static parse(text: QuantityText | number): Quantity {
    const { mantissa, scale, wide, format, text: verbatim } = parseQuantity(typeof text === 'string' ? text : String(text));
    return new Quantity(mantissa, scale, wide, format, verbatim);
  }

  /** A whole amount: bytes, counts, cores. Throws `InvalidArgument` if it is not a 64-bit integer. */
  static of(value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(int64('value', value), 0, false, format);
  }

  /** An amount in thousandths, such as millicores. Throws `InvalidArgument` if it is not a 64-bit integer. */
  static ofMilli(milliValue: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(int64('milliValue', milliValue), -3, false, format);
  }

  /** -1, 0 or 1. */
  get sign(): -1 | 0 | 1 {
    return this.#mantissa === 0n ? 0 : this.#mantissa < 0n ? -1 : 1;
  }

  get isZero(): boolean {
    return this.#mantissa === 0n;
  }

  /** The text it was parsed from if that is equivalent to the canonical one (`1E3`, `+5`), else the canonical one. */
  toString(): string {
    return this.#text ?? this.canonical();
  }

  toJSON(): string {
    return this.toString();
  }

  /** What Node's `util.inspect` and `console.log` print. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Quantity(${this})`;
  }

  /** An integer with the largest suffix that fits, in the amount's own format. */
  canonical(): string {
    return formatQuantity(this.#mantissa, this.#scale, this.format);
  }

  /** Compares two amounts, regardless of their formats: -1 if this one is smaller, 0 if they are equal, 1 if it is larger. */
  cmp(other: Quantity): -1 | 0 | 1 {
    const difference = aligned(this.#mantissa, this.#scale, other.#scale) - aligned(other.#mantissa, other.#scale, this.#scale);
    return difference === 0n ? 0 : difference < 0n ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.cmp(other) === 0;
  }

  /** The sum, in this amount's format; a zero takes the other's. */
  add(other: Quantity): Quantity {
    return this.#plus(other, other.#mantissa);
  }

  /** The difference, in this amount's format; a zero takes the other's. */
  sub(other: Quantity): Quantity {
    return this.#plus(other, -other.#mantissa);
  }

  neg(): Quantity {
    return new Quantity(-this.#mantissa, this.#scale, this.#wide, this.format);
  }

  /** The product with a whole number. Throws `InvalidArgument` if the factor is not a 64-bit integer. */
  mul(factor: bigint | number): Quantity {
    return this.mulChecked(factor).result;
  }

  /** As {@link mul}, and whether the product's digits fit a 64-bit integer; Kubernetes reports the opposite as overflow. */
  mulChecked(factor: bigint | number): { result: Quantity; fitsInt64: boolean } {
    const by = int64('factor', factor);
    const product = this.#mantissa * by;
    const wide = this.#wide || !(this.#mantissa === 0n || by === 0n || this.#productFits(product));
    return { result: new Quantity(product, this.#scale, wide, this.format), fitsInt64: fitsInt64(product) };
  }

  /** Rounds away from zero to a multiple of `10^scale` (0: whole units, -3: thousandths). */
  roundUp(scale: number): Quantity {
    return this.roundUpChecked(scale).result;
  }

  /** As {@link roundUp}; `exact` if nothing had to be rounded. */
  roundUpChecked(scale: number): { result: Quantity; exact: boolean } {
    checkScale(scale);
    if (this.#scale >= scale) return { result: this.#wide ? this.#rescaled(scale) : this, exact: true };
    const [quotient, exact] = divideAway(this.#mantissa, powerOfTen(scale - this.#scale));
    return { result: new Quantity(quotient, scale, this.#wide, this.format), exact };
  }

  /**
   * The amount in units of `10^scale` as a 64-bit integer, rounded away from zero. As in Kubernetes an amount with up to 18 digits
   * gives 0 or wraps around when it does not fit, and a longer one always wraps around, and rounds towards plus infinity.
   */
  scaledValue(scale: number): bigint {
    checkScale(scale);
    const places = scale - this.#scale;
    if (this.#wide) return wideScaledValue(this.#mantissa, places);
    if (places > 0) return divideAway(this.#mantissa, powerOfTen(places))[0];
    const scaled = this.#mantissa * powerOfTen(-places);
    return fitsInt64(scaled) ? scaled : wrappingPlaces.has(-places) ? BigInt.asIntN(64, scaled) : 0n;
  }

  /** {@link scaledValue} in whole units: bytes, counts, cores. */
  value(): bigint {
    return this.scaledValue(0);
  }

  /** {@link scaledValue} in thousandths: millicores. */
  milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /** The exact value if it is stored as a 64-bit integer, else undefined. */
  asInt64(): bigint | undefined {
    if (this.#wide || this.#scale < 0) return undefined;
    const value = this.#mantissa * powerOfTen(this.#scale);
    return fitsInt64(value) ? value : undefined;
  }

  #plus(other: Quantity, mantissa: bigint): Quantity {
    const format = this.isZero ? other.format : this.format;
    if (!this.#wide && !other.#wide) {
      if (this.#mantissa === 0n) return new Quantity(mantissa, other.#scale, false, format);
      if (mantissa === 0n) return new Quantity(this.#mantissa, this.#scale, false, format);
    }
    const scale = Math.min(this.#scale, other.#scale);
    const mine = aligned(this.#mantissa, this.#scale, scale);
    const its = aligned(mantissa, other.#scale, scale);
    const sum = mine + its;
    const wide = this.#wide || other.#wide || !fitsInt64(mine) || !fitsInt64(its) || !fitsInt64(sum);
    return new Quantity(sum, scale, wide, format);
  }

  #rescaled(scale: number): Quantity {
    return new Quantity(aligned(this.#mantissa, this.#scale, scale), Math.min(scale, this.#scale), this.#wide, this.format);
  }

  #productFits(product: bigint): boolean {
    return this.#scale >= 0 && fitsInt64(product * powerOfTen(this.#scale));
  }
}

/** Distances over which Kubernetes multiplies without a check, so that the result wraps around instead of being 0. */
const wrappingPlaces = new Set([1, 2, 3, 6, 9]);

/** `mantissa * 10^scale` in units of the smaller of the two scales. */
function aligned(mantissa: bigint, scale: number, otherScale: number): bigint {
  return scale > otherScale ? mantissa * powerOfTen(scale - otherScale) : mantissa;
}

function divideAway(dividend: bigint, divisor: bigint): [quotient: bigint, exact: boolean] {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return [quotient, true];
  return [dividend < 0n ? quotient - 1n : quotient + 1n, false];
}

/** The conversion of long decimals, wrapping like 64-bit arithmetic: very negative numbers wrap before the division, others after. */
function wideScaledValue(unscaled: bigint, places: number): bigint {
  if (places <= 0) {
    const unit = places < -18 ? minInt64 : powerOfTen(-places);
    return BigInt.asIntN(64, unscaled * unit);
  }
  const dividend = unscaled < maxInt64 ? BigInt.asIntN(64, unscaled) : unscaled;
  const divisor = powerOfTen(places);
  const quotient = dividend / divisor;
  return BigInt.asIntN(64, quotient * divisor === dividend ? quotient : quotient + 1n);
}

/** Larger powers of ten would cost unbounded time and memory. */
const maxScale = 9999;

function checkScale(scale: number): void {
  if (!Number.isInteger(scale) || Math.abs(scale) > maxScale)
    throw invalidArgument('scale', `an integer from -${maxScale} to ${maxScale}`, scale);
}

function int64(field: string, value: bigint | number): bigint {
  if (typeof value === 'bigint' ? fitsInt64(value) : Number.isSafeInteger(value)) return BigInt(value);
  throw invalidArgument(field, 'a 64-bit integer', value);
}
