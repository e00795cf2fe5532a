import { apiErrorCodes } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import fc from 'fast-check';
import { mutatedText } from '../generate/text.js';
import { promise, promiseDocumented, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

/** An exact fraction: quantities are checked against it. */
interface Rational {
  numerator: bigint;
  denominator: bigint;
}

const powers: Readonly<Record<string, Rational>> = Object.fromEntries([
  ...['n', 'u', 'm'].map((unit, index) => [unit, { numerator: 1n, denominator: 1_000n ** BigInt(3 - index) }]),
  ...['', 'k', 'M', 'G', 'T', 'P', 'E'].map((unit, index) => [unit, { numerator: 1_000n ** BigInt(index), denominator: 1n }]),
  ...['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((unit, index) => [unit, { numerator: 1_024n ** BigInt(index + 1), denominator: 1n }]),
]);

/** Larger exponents are refused, also of the canonical text, which has zeros in its exponent: they would cost unbounded memory. */
const maxExponent = 9_999;

/** The grammar of the API's documentation; undefined for what it does not allow. */
function exact(text: string): Rational | undefined {
  const [matched, sign, whole = '', fraction = '', unit = ''] = /^([+-]?)(\d*)(?:\.(\d*))?([a-zA-Z]*[+-]?\d*)$/.exec(text) ?? [];
  if (matched === undefined || whole + fraction === '') return undefined;
  const exponent = /^[eE]([+-]?\d+)$/.exec(unit)?.[1];
  if (exponent !== undefined && Math.max(-exponent, Number(exponent) + Math.max(0, whole.replace(/^0+/, '').length - 1)) > maxExponent)
    return undefined;
  const power = exponent === undefined ? (Object.hasOwn(powers, unit) ? powers[unit] : undefined) : tenTo(Number(exponent));
  if (power === undefined) return undefined;
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return { numerator: digits * power.numerator, denominator: power.denominator * 10n ** BigInt(fraction.length) };
}

function tenTo(exponent: number): Rational {
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? { numerator: 1n, denominator: power } : { numerator: power, denominator: 1n };
}

const sum = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});
const negated = ({ numerator, denominator }: Rational): Rational => ({ numerator: -numerator, denominator });
const signOf = ({ numerator }: Rational) => (numerator === 0n ? 0 : numerator < 0n ? -1 : 1);

/** In units of `1 / parts`, rounded away from zero. */
function unitsOf({ numerator, denominator }: Rational, parts: bigint): bigint {
  const scaled = numerator * parts;
  const [magnitude, sign] = scaled < 0n ? [-scaled, -1n] : [scaled, 1n];
  return sign * ((magnitude + denominator - 1n) / denominator);
}

/** The API keeps no finer parts than a billionth: they are rounded away from zero. */
const rounded = (value: Rational): Rational => ({ numerator: unitsOf(value, 10n ** 9n), denominator: 10n ** 9n });

const limit = 10n ** 15n;
/** Far from the 64-bit limits, where Kubernetes wraps around instead of computing. */
const isModerate = ({ numerator, denominator }: Rational) => numerator < limit * denominator && -numerator < limit * denominator;

const number = fc.oneof(
  fc.integer({ min: 0, max: 2_000 }).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 22n }).map(String),
  fc.tuple(fc.nat(99_999), fc.stringMatching(/^\d{0,12}$/)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.constantFrom('.', '.5', '5.', '00', '9223372036854775807', '9223372036854775808', '0.0000000001'),
);
const unit = fc.oneof(
  fc.constantFrom(...Object.keys(powers)),
  fc.integer({ min: -25, max: 25 }).map((exponent) => `e${exponent}`),
);
const quantity = fc.tuple(fc.constantFrom('', '', '', '-', '+'), number, unit).map((parts) => parts.join(''));
const pieces = fc.constantFrom(
  'e',
  'E',
  'i',
  'm',
  'K',
  '-',
  '+',
  '.',
  ' ',
  '\n',
  '1',
  '0'.repeat(400),
  'e9999',
  'e10000',
  'e-9999',
  '٣',
  'Infinity',
  '0x',
);

export const quantities = fuzzTarget({
  name: 'quantities',
  promise: 'a text is a quantity exactly if the grammar allows it; values, sums, order and formatted text are exact',
  runs: 3_000,
  inputs: fc.tuple(mutatedText(quantity, pieces, 2), quantity),
  check([text, other]) {
    const amount = parsed(text);
    const value = exact(text);
    if (!hasNoDigits(text))
      promise((amount !== undefined) === (value !== undefined), `${JSON.stringify(text)} is ${amount ? '' : 'not '}accepted`);
    if (amount === undefined) return;
    checkCanonical(text, amount);
    const second = parsed(other);
    const secondValue = exact(other);
    if (second === undefined || value === undefined || secondValue === undefined || !isModerate(value) || !isModerate(secondValue)) return;
    const [a, b] = [rounded(value), rounded(secondValue)];
    checkExact(amount, a, text);
    if (signOf(a) >= 0) checkIntegers(amount, a, text);
    promiseSame(amount.cmp(second), signOf(sum(a, negated(b))), `the order of ${text} and ${other}`);
    checkExact(amount.add(second), sum(a, b), `${text} + ${other}`);
    checkExact(amount.sub(second), sum(a, negated(b)), `${text} - ${other}`);
    if (signOf(sum(a, b)) >= 0) checkIntegers(amount.add(second), sum(a, b), `${text} + ${other}`);
    checkExact(amount.mul(3), sum(sum(a, a), a), `3 * ${text}`);
  },
});

/** Kubernetes writes a binary amount that 1024 does not divide without a suffix, and then reads it as a decimal one: `56640000`, `56640k`. */
function checkCanonical(text: string, amount: Quantity): void {
  const canonical = amount.canonical();
  const again = Quantity.parse(canonical);
  if (/i$/.test(text) && /\d$/.test(canonical)) promiseSame(again.cmp(amount), 0, 'the amount of the canonical text');
  else promiseSame(again.canonical(), canonical, 'the canonical text of the canonical text');
}

function parsed(text: string): Quantity | undefined {
  try {
    return Quantity.parse(text);
  } catch (error) {
    const { details } = promiseDocumented(error, [apiErrorCodes.invalidQuantity], 'Quantity.parse');
    promiseSame(details.text, text, 'the text that the error names');
    return undefined;
  }
}

/** Kubernetes accepts some numbers without digits (`.`, `Mi`) and refuses others (`.Ei`). */
const hasNoDigits = (text: string) => /^[+-]?\.?([a-zA-Z]|$)/.test(text);

function checkExact(amount: Quantity, value: Rational, what: string): void {
  promiseSame(amount.sign, signOf(value), `the sign of ${what}`);
  for (const text of [amount.toString(), amount.canonical()]) {
    const again = exact(text);
    promise(again !== undefined && signOf(sum(again, negated(value))) === 0, `${what} is written ${text}`);
  }
}

/** Only for amounts from 0: below it, Kubernetes rounds long decimals towards plus infinity, or wraps around. */
function checkIntegers(amount: Quantity, value: Rational, what: string): void {
  promiseSame(amount.value(), unitsOf(value, 1n), `the value of ${what}`);
  promiseSame(amount.milliValue(), unitsOf(value, 1_000n), `the value in thousandths of ${what}`);
}
