import { CelEvalError } from '../cel-error.js';
import { durationText, timestampText } from '../time.js';
import { CelDuration, CelList, CelMap, CelTimestamp, CelTypeValue, CelUint, type CelValue, typeNameOf } from '../values.js';
import { type FormatClause, formatClauses } from './format-clauses.js';
import { quoted } from './quoted.js';
import { doubleText } from './standard.js';
import { requireTextSize } from './text-size.js';

/** `"%s has %d".format([name, count])`. CEL extensions, "Strings: Format". */
export function formatted(pattern: string, { items }: CelList): string {
  let next = 0;
  let length = pattern.length;
  const parts = formatClauses(pattern).map((clause) => {
    if (typeof clause === 'string') return clause;
    const item = items[next];
    if (item === undefined) throw new CelEvalError(`index ${next} out of range`);
    next++;
    const text = formattedItem(clause, item);
    length += text.length;
    requireTextSize(length);
    return text;
  });
  if (next < items.length) throw new CelEvalError(`too many arguments supplied to string.format (expected ${next}, got ${items.length})`);
  return parts.join('');
}

const integerOf = (value: CelValue) => (value instanceof CelUint ? value.value : typeof value === 'bigint' ? value : undefined);

const hexBytes = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const infinite: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

/** A finite or infinite double; texts name those that are not finite. */
function doubleOf(value: CelValue): number | undefined {
  if (typeof value === 'string') return Object.hasOwn(infinite, value) ? infinite[value] : undefined;
  return typeof value === 'number' ? value : undefined;
}

function formattedItem({ verb, precision, typeProblem }: FormatClause, value: CelValue): string {
  const typeName = typeNameOf(value);
  const double = doubleOf(value);
  const isDoubleText = typeName === 'string' && (verb === 'f' || verb === 'e') && double === undefined;
  const problem = typeProblem(isDoubleText ? '' : typeName);
  if (problem !== undefined) throw new CelEvalError(`error during formatting: ${problem}${isDoubleText ? typeName : ''}`);
  const integer = integerOf(value);
  switch (verb) {
    case 's':
      return typeof value === 'string' ? value : plainText(value);
    case 'f':
      return fixed(double as number, precision);
    case 'e':
      return exponent(double as number, precision);
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : (integer as bigint).toString(2);
    case 'o':
      return (integer as bigint).toString(8);
    case 'x':
    case 'X': {
      const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      const text = bytes instanceof Uint8Array ? hexBytes(bytes) : (integer as bigint).toString(16);
      return verb === 'X' ? text.toUpperCase() : text;
    }
    default:
      return String(integer);
  }
}

const infiniteText = (value: number) => (Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞');

/** Digits in groups of three, rounded half to even where the double is exactly between. */
function fixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return infiniteText(value);
  const [whole = '', fraction] = digitsOf(value, precision).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function digitsOf(value: number, precision: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`;
  const digits = Math.min(precision, 99);
  const longer = value.toFixed(digits + 1);
  const isTie = longer.endsWith('5') && Number(longer) === value;
  const isEven = /[02468]\.?5$/.test(longer);
  const text = isTie && isEven ? longer.replace(/\.?5$/, '') : value.toFixed(digits);
  return text + '0'.repeat(precision - digits);
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Six digits and the power of ten; the precision is the least width, as in a cluster. */
function exponent(value: number, width: number): string {
  if (!Number.isFinite(value)) return infiniteText(value).padStart(width);
  const [digits = '', power = ''] = value.toExponential(6).split('e');
  const raised = power
    .slice(1)
    .padStart(2, '0')
    .replace(/\d/g, (digit) => superscripts[Number(digit)] as string);
  return `${digits}×10${power.startsWith('-') ? '⁻' : ''}${raised}`.padStart(width);
}

/** A value by itself, as `string()` converts it. */
function plainText(value: CelValue): string {
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof CelTimestamp) return timestampText(value.ns);
  if (value instanceof CelDuration) return durationText(value.ns);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return elementText(value);
}

/** A value within a list or a map: as a literal. */
function elementText(value: CelValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return Number.isFinite(value) ? digitsOf(value, 6) : quoted(doubleText(value));
  if (typeof value !== 'object') return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTimestamp) return `timestamp("${timestampText(value.ns)}")`;
  if (value instanceof CelDuration) return `duration("${durationText(value.ns)}")`;
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof Uint8Array) return `b${quoted(new TextDecoder().decode(value))}`;
  if (value instanceof CelList) return `[${value.items.map(elementText).join(', ')}]`;
  if (!(value instanceof CelMap)) throw new CelEvalError(`no formatting function for ${typeNameOf(value)}`);
  const entries = value.keys().map((key) => [elementText(key), elementText(value.get(key) as CelValue)] as const);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${key}:${each}`)
    .join(', ')}}`;
}
