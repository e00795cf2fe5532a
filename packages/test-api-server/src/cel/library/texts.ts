import { CelEvalError } from '../cel-error.js';
import { type CelOverload, overload } from '../functions.js';
import { CelList, textLength } from '../values.js';
import { formatted } from './format-text.js';
import { quoted } from './quoted.js';
import { regexOf } from './standard.js';
import { requireTextSize } from './text-size.js';

const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const upper = (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());

const outOfRange = (index: bigint) => new CelEvalError(`index out of range: ${index}`);

function substring(text: string, start: bigint, end?: bigint): string {
  const characters = [...text];
  const stop = end ?? BigInt(characters.length);
  if (start < 0n || start > characters.length) throw outOfRange(start);
  if (stop < 0n || stop > characters.length) throw outOfRange(stop);
  if (start > stop) throw new CelEvalError(`invalid substring range. start: ${start}, end: ${stop}`);
  return characters.slice(Number(start), Number(stop)).join('');
}

function charAt(text: string, index: bigint): string {
  const characters = [...text];
  if (index < 0n || index > characters.length) throw outOfRange(index);
  return characters[Number(index)] ?? '';
}

/** The index of a part in code points, searched from an offset. */
function indexOf(text: string, part: string, offset = 0n): bigint {
  const characters = [...text];
  if (part === '') return offset;
  if (offset < 0n || offset > characters.length) throw outOfRange(offset);
  const before = characters.slice(0, Number(offset)).join('').length;
  const found = text.indexOf(part, before);
  return found < 0 ? -1n : BigInt(textLength(text.slice(0, found)));
}

function lastIndexOf(text: string, part: string, offset?: bigint): bigint {
  const characters = [...text];
  const limit = offset ?? BigInt(characters.length);
  if (part === '') return limit;
  if (limit < 0n) throw outOfRange(limit);
  if (limit > characters.length) return -1n;
  const found = text.lastIndexOf(part, characters.slice(0, Number(limit)).join('').length);
  return found < 0 ? -1n : BigInt(textLength(text.slice(0, found)));
}

function replaced(text: string, part: string, by: string, limit = -1n): string {
  const count = part === '' ? text.length + 1 : text.split(part).length - 1;
  requireTextSize(text.length + (limit < 0n ? count : Math.min(count, Number(limit))) * by.length);
  if (limit === 0n) return text;
  if (limit < 0n) return part === '' ? [...text].reduce((all, each) => all + each + by, by) : text.split(part).join(by);
  const pieces = part === '' ? ['', ...text] : text.split(part);
  const times = Math.min(Number(limit), pieces.length - (part === '' ? 0 : 1));
  return (
    pieces.slice(0, times + 1).join(by) +
    pieces
      .slice(times + 1)
      .map((piece) => part + piece)
      .join('')
  );
}

function split(text: string, separator: string, limit = -1n): CelList {
  if (limit === 0n) return new CelList([]);
  const pieces = separator === '' ? [...text] : text.split(separator);
  if (limit < 0n || pieces.length <= limit) return new CelList(pieces);
  const first = pieces.slice(0, Number(limit) - 1);
  return new CelList([...first, pieces.slice(Number(limit) - 1).join(separator)]);
}

/** Zero-width and other spaces that `trim` removes: those that Unicode calls white space. */
const trimmed = (text: string) => text.replace(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, '');

function join({ items }: CelList, separator = ''): string {
  if (!items.every((item) => typeof item === 'string')) throw new CelEvalError('no such overload: join(list, string)');
  return items.join(separator);
}

const find = (text: string, pattern: string) => regexOf(pattern).findAll(text, 1)[0] ?? '';
const findAll = (text: string, pattern: string, limit = -1n) =>
  new CelList(regexOf(pattern).findAll(text, limit < 0n ? undefined : Number(limit)));

/** Extended string functions and Kubernetes' regular expressions: Kubernetes documentation, "CEL: Kubernetes CEL libraries". */
export const textFunctions: readonly CelOverload[] = [
  overload('string.charAt(int) string', charAt),
  overload('string.indexOf(string) int', indexOf),
  overload('string.indexOf(string, int) int', indexOf),
  overload('string.lastIndexOf(string) int', lastIndexOf),
  overload('string.lastIndexOf(string, int) int', lastIndexOf),
  overload('string.lowerAscii() string', lower),
  overload('string.upperAscii() string', upper),
  overload('string.replace(string, string) string', replaced),
  overload('string.replace(string, string, int) string', replaced),
  overload('string.split(string) list<string>', split),
  overload('string.split(string, int) list<string>', split),
  overload('string.substring(int) string', substring),
  overload('string.substring(int, int) string', substring),
  overload('string.trim() string', trimmed),
  overload('string.format(list<dyn>) string', formatted),
  overload('strings.quote(string) string', quoted),
  overload('list<string>.join() string', join),
  overload('list<string>.join(string) string', join),
  overload('string.find(string) string', find),
  overload('string.findAll(string) list<string>', findAll),
  overload('string.findAll(string, int) list<string>', findAll),
];
