import { CelEvalError } from '../cel-error.js';
import { compareValues, equalValues, identityOf } from '../equality.js';
import { type CelOverload, overload } from '../functions.js';
import { checkedDuration, checkedTimestamp } from '../time.js';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  EntryMap,
  keyText,
  typeNameOf,
} from '../values.js';

const int = (value: bigint, what = 'integer'): bigint => {
  if (value < -(1n << 63n) || value >= 1n << 63n) throw new CelEvalError(`${what} overflow`);
  return value;
};
const uint = (value: bigint): CelUint => {
  if (value < 0n || value >= 1n << 64n) throw new CelEvalError('unsigned integer overflow');
  return new CelUint(value);
};

const nonZero = (value: bigint, operation: string): bigint => {
  if (value === 0n) throw new CelEvalError(operation);
  return value;
};

/** An operator on int, uint and double. */
function arithmetic(name: string, ints: (a: bigint, b: bigint) => bigint, doubles?: (a: number, b: number) => number): CelOverload[] {
  return [
    overload(`${name}(int, int) int`, (a: bigint, b: bigint) => int(ints(a, b))),
    overload(`${name}(uint, uint) uint`, (a: CelUint, b: CelUint) => uint(ints(a.value, b.value))),
    ...(doubles ? [overload(`${name}(double, double) double`, doubles)] : []),
  ];
}

const ordered = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const numbers = ['int', 'uint', 'double'];

function comparison(name: string, holds: (order: number) => boolean): CelOverload[] {
  const pairs = [...ordered.map((type) => [type, type]), ...numbers.flatMap((a) => numbers.filter((b) => b !== a).map((b) => [a, b]))];
  return pairs.map(([a, b]) =>
    overload(`${name}(${a}, ${b}) bool`, (left: CelValue, right: CelValue) => {
      const order = compareValues(left, right);
      return order !== undefined && holds(order);
    }),
  );
}

/** Concatenates lists; those of type `set` and `map` merge, as server-side apply does. */
function concatenated(a: CelList, b: CelList): CelList {
  if (a.items.length === 0 && a.merge === undefined) return b;
  const { merge } = a;
  if (merge === undefined) return new CelList([...a.items, ...b.items]);
  const merged = new Map(a.items.map((item) => [identityOf(item, merge), item]));
  for (const item of b.items) merged.set(identityOf(item, merge), item);
  return new CelList([...merged.values()], merge);
}

function elementAt(list: CelList, index: CelValue): CelValue | undefined {
  const text = keyText(index);
  const at = text?.startsWith('n') ? Number(text.slice(1)) : Number.NaN;
  return Number.isInteger(at) && at >= 0 ? list.items[at] : undefined;
}

const noSuchKey = (key: CelValue) =>
  new CelEvalError(`no such key: ${typeof key === 'object' && key instanceof CelUint ? key.value : String(key)}`);

const at = (list: CelList, index: CelValue): CelValue => {
  const found = elementAt(list, index);
  if (typeof index === 'string' || typeof index === 'boolean')
    throw new CelEvalError(`unsupported index type '${typeNameOf(index)}' in list`);
  if (found === undefined) throw new CelEvalError(`index out of bounds: ${index instanceof CelUint ? index.value : String(index)}`);
  return found;
};

const mapValue = (map: CelMap, key: CelValue): CelValue => {
  const found = map.get(key);
  if (found === undefined) throw noSuchKey(key);
  return found;
};

const within = (item: CelValue, list: CelList) => list.items.some((each) => equalValues(item, each));

const inserted = (map: CelMap, entries: Iterable<readonly [CelValue, CelValue]>): CelMap => {
  const more = [...entries];
  const double = more.find(([key]) => map.get(key) !== undefined);
  if (double) throw new CelEvalError(`insert failed: key ${keyText(double[0])?.slice(1)} already exists`);
  return new EntryMap([...entriesOf(map), ...more]);
};

const entriesOf = (map: CelMap) => map.keys().map((key): [CelValue, CelValue] => [key, map.get(key) as CelValue]);

/** The operators whose operands are all evaluated; `evaluate` has `&&`, `||` and `?:`. CEL language definition, "List of Standard Definitions". */
export const operators: readonly CelOverload[] = [
  ...arithmetic(
    '_+_',
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  ...arithmetic(
    '_-_',
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  ...arithmetic(
    '_*_',
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  ...arithmetic(
    '_/_',
    (a, b) => a / nonZero(b, 'division by zero'),
    (a, b) => a / b,
  ),
  ...arithmetic('_%_', (a, b) => a % nonZero(b, 'modulus by zero')),
  overload('-_(int) int', (a: bigint) => int(-a)),
  overload('-_(double) double', (a: number) => -a),
  overload('_+_(string, string) string', (a: string, b: string) => a + b),
  overload('_+_(bytes, bytes) bytes', (a: Uint8Array, b: Uint8Array) => Uint8Array.from([...a, ...b])),
  overload('_+_(list<A>, list<A>) list<A>', concatenated),
  overload('_+_(timestamp, duration) timestamp', (a: CelTimestamp, b: CelDuration) => new CelTimestamp(checkedTimestamp(a.ns + b.ns))),
  overload('_+_(duration, timestamp) timestamp', (a: CelDuration, b: CelTimestamp) => new CelTimestamp(checkedTimestamp(a.ns + b.ns))),
  overload('_+_(duration, duration) duration', (a: CelDuration, b: CelDuration) => new CelDuration(checkedDuration(a.ns + b.ns))),
  overload('_-_(timestamp, timestamp) duration', (a: CelTimestamp, b: CelTimestamp) => new CelDuration(checkedDuration(a.ns - b.ns))),
  overload('_-_(timestamp, duration) timestamp', (a: CelTimestamp, b: CelDuration) => new CelTimestamp(checkedTimestamp(a.ns - b.ns))),
  overload('_-_(duration, duration) duration', (a: CelDuration, b: CelDuration) => new CelDuration(checkedDuration(a.ns - b.ns))),
  ...comparison('_<_', (order) => order < 0),
  ...comparison('_<=_', (order) => order <= 0),
  ...comparison('_>_', (order) => order > 0),
  ...comparison('_>=_', (order) => order >= 0),
  overload('_==_(A, A) bool', equalValues),
  overload('_!=_(A, A) bool', (a: CelValue, b: CelValue) => !equalValues(a, b)),
  overload('!_(bool) bool', (a: boolean) => !a),
  overload('@not_strictly_false(bool) bool', (a: CelValue) => a !== false),
  overload('@in(A, list<A>) bool', within),
  overload('@in(A, map<A, B>) bool', (key: CelValue, map: CelMap) => map.get(key) !== undefined),
  overload('_[_](list<A>, int) A', at),
  // Indexes of unknown type may be other numbers with an integer's value.
  overload('_[_](list<A>, dyn) A', at),
  overload('_[_](map<A, B>, A) B', mapValue),
  overload('_[?_](list<A>, int) optional<A>', (list: CelList, index: CelValue) => new CelOptional(elementAt(list, index))),
  overload('_[?_](map<A, B>, A) optional<B>', (map: CelMap, key: CelValue) => new CelOptional(map.get(key))),
  overload('_[_](optional<list<A>>, int) optional<A>', optionalIndex),
  overload('_[_](optional<map<A, B>>, A) optional<B>', optionalIndex),
  overload('_[?_](optional<list<A>>, int) optional<A>', optionalIndex),
  overload('_[?_](optional<map<A, B>>, A) optional<B>', optionalIndex),
  overload('_?_:_(bool, A, A) A', (_condition, a: CelValue) => a),
  overload('cel.@mapInsert(map<A, B>, A, B) map<A, B>', (map: CelMap, key: CelValue, value: CelValue) => inserted(map, [[key, value]])),
  overload('cel.@mapInsert(map<A, B>, map<A, B>) map<A, B>', (map: CelMap, other: CelMap) => inserted(map, entriesOf(other))),
];

function optionalIndex({ value }: CelOptional, index: CelValue): CelOptional {
  if (value instanceof CelList) return new CelOptional(elementAt(value, index));
  return new CelOptional(value instanceof CelMap ? value.get(index) : undefined);
}
