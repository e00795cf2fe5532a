import { CelEvalError } from '../cel-error.js';
import { durationText, timestampText } from '../time.js';
import { CelDuration, CelList, CelMap, CelTimestamp, CelTypeValue, CelUint, type CelValue } from '../values.js';

/** `"%s has %d".format([name, count])`. CEL extensions, "Strings: Format". */
export function formatted(pattern: string, { items }: CelList): string {
  let next = 0;
  const text = pattern.replace(/%(?:%|(?:\.(\d+))?([a-zA-Z]))|%/g, (whole, precision: string | undefined, verb: string | undefined) => {
    if (whole === '%%') return '%';
    if (verb === undefined) throw new CelEvalError('unexpected end of format string');
    const item = items[next];
    if (item === undefined) throw new CelEvalError(`index ${next} out of range`);
    next++;
    return formattedItem(verb, item, precision === undefined ? 6 : Number(precision));
  });
  if (next < items.length) throw new CelEvalError(`too many arguments supplied to string.format (expected ${next}, got ${items.length})`);
  return text;
}

const integerOf = (value: CelValue) => (value instanceof CelUint ? value.value : typeof value === 'bigint' ? value : undefined);

const hexBytes = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function formattedItem(verb: string, value: CelValue, precision: number): string {
  const wrong = () => new CelEvalError(`error during formatting: no such overload for %${verb}`);
  const integer = integerOf(value);
  if (precision > 1000) throw new CelEvalError('precision is too large');
  switch (verb) {
    case 's':
      return shownValue(value);
    case 'd':
      if (integer === undefined && typeof value !== 'number') throw wrong();
      return String(integer ?? value);
    case 'f':
    case 'e': {
      const number = typeof value === 'number' ? value : Number(integer ?? Number.NaN);
      if (typeof value !== 'number' && integer === undefined) throw wrong();
      if (!Number.isFinite(number)) return shownValue(number);
      return verb === 'f' ? number.toFixed(Math.min(precision, 100)) : exponent(number, precision);
    }
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      if (integer === undefined) throw wrong();
      return integer.toString(2);
    case 'o':
      if (integer === undefined) throw wrong();
      return integer.toString(8);
    case 'x':
    case 'X': {
      const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value instanceof Uint8Array ? value : undefined;
      if (bytes === undefined && integer === undefined) throw wrong();
      const text = bytes ? hexBytes(bytes) : (integer as bigint).toString(16);
      return verb === 'X' ? text.toUpperCase() : text;
    }
    default:
      throw new CelEvalError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

const exponent = (value: number, precision: number) => value.toExponential(Math.min(precision, 100)).replace(/e([+-])(\d)$/, 'e$10$2');

function shownValue(value: CelValue): string {
  if (value === null) return 'null';
  if (typeof value === 'number')
    return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  if (typeof value !== 'object') return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTimestamp) return timestampText(value.ns);
  if (value instanceof CelDuration) return durationText(value.ns);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof CelList) return `[${value.items.map(shownValue).join(', ')}]`;
  if (!(value instanceof CelMap)) throw new CelEvalError('error during formatting: no such overload for %s');
  const entries = value.keys().map((key) => [shownValue(key), shownValue(value.get(key) as CelValue)] as const);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${key}: ${each}`)
    .join(', ')}}`;
}
