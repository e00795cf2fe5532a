import { CelEvalError } from '../cel-error.js';
import { compareValues, equalValues } from '../equality.js';
import { type CelOverload, overload, overloadFor } from '../functions.js';
import { CelDuration, CelList, CelUint, type CelValue, typeNameOf } from '../values.js';
import { operators } from './operators.js';

const isSorted = ({ items }: CelList) =>
  items.every((item, index) => index === 0 || (compareValues(items[index - 1] as CelValue, item) ?? 1) <= 0);

/** The least or the greatest element. */
function extreme({ items }: CelList, direction: 1 | -1, name: string): CelValue {
  if (items.length === 0) throw new CelEvalError(`${name} called on empty list`);
  return items.reduce((best, item) => {
    const order = compareValues(item, best);
    if (order === undefined) throw new CelEvalError(`no such overload: ${name}(list)`);
    return order * direction > 0 ? item : best;
  }, items[0] as CelValue);
}

const isSummable = (item: CelValue) =>
  typeof item === 'bigint' || typeof item === 'number' || item instanceof CelUint || item instanceof CelDuration;

const plus = operators.filter(({ name }) => name === '_+_');

/** The sum of the elements; `zero` is that of an empty list. */
const sumOf =
  (zero: CelValue) =>
  ({ items }: CelList): CelValue =>
    items.length === 0
      ? zero
      : items.reduce((sum, item) => {
          if (!isSummable(item) || !isSummable(sum)) throw new CelEvalError('no such overload: sum(list)');
          const add = overloadFor(plus, false, [sum, item]);
          if (add === undefined) throw new CelEvalError('no such overload: sum(list)');
          return add.run(sum, item);
        });

const indexOf = ({ items }: CelList, value: CelValue) => BigInt(items.findIndex((item) => equalValues(item, value)));

function lastIndexOf({ items }: CelList, value: CelValue): bigint {
  for (let index = items.length - 1; index >= 0; index--) if (equalValues(items[index] as CelValue, value)) return BigInt(index);
  return -1n;
}

const contains = (set: CelList, value: CelValue) => set.items.some((each) => equalValues(each, value));
const containsAll = (set: CelList, values: CelList) => values.items.every((value) => contains(set, value));

function slice({ items }: CelList, start: bigint, end: bigint): CelList {
  const refused = (why: string) => new CelEvalError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) throw refused('negative indexes not supported');
  if (start > end) throw refused('start index must be less than or equal to end index');
  if (items.length < end) throw refused(`list is length ${items.length}`);
  return new CelList(items.slice(Number(start), Number(end)));
}

function flattened({ items }: CelList, depth = 1n): CelList {
  if (depth < 0n) throw new CelEvalError('level must be non-negative');
  return new CelList(items.flatMap((item) => (item instanceof CelList && depth > 0n ? flattened(item, depth - 1n).items : [item])));
}

function distinct({ items }: CelList): CelList {
  const found: CelValue[] = [];
  for (const item of items) if (!found.some((each) => equalValues(each, item))) found.push(item);
  return new CelList(found);
}

/** The elements in the order of their keys. */
function sortedBy(list: CelList, keys: CelList): CelList {
  const [first = null] = keys.items;
  const name = typeNameOf(first);
  if (keys.items.length > 0 && !comparable.includes(shortName(name))) throw new CelEvalError('list elements must be comparable');
  if (keys.items.some((key) => typeNameOf(key) !== name)) throw new CelEvalError('list elements must have the same type');
  const order = [...keys.items.keys()].sort((a, b) => compareValues(keys.items[a] as CelValue, keys.items[b] as CelValue) ?? 0);
  return new CelList(order.map((index) => list.items[index] as CelValue));
}

const shortName = (name: string) => name.replace(/^google\.protobuf\./, '').toLowerCase();

const range = (count: bigint) => new CelList(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)));

const comparable = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'duration', 'timestamp'];

/**
 * Kubernetes' list functions, and those of CEL's extensions of lists and sets. Kubernetes documentation, "CEL: Kubernetes list library" and
 * "CEL options, language features, and libraries".
 */
export const listFunctions: readonly CelOverload[] = [
  ...comparable.flatMap((type) => [
    overload(`list<${type}>.isSorted() bool`, isSorted),
    overload(`list<${type}>.min() ${type}`, (list: CelList) => extreme(list, -1, 'min')),
    overload(`list<${type}>.max() ${type}`, (list: CelList) => extreme(list, 1, 'max')),
    overload(`list<${type}>.sort() list<${type}>`, (list: CelList) => sortedBy(list, list)),
    overload(`list<A>.@sortByAssociatedKeys(list<${type}>) list<A>`, sortedBy),
  ]),
  overload('list<int>.sum() int', sumOf(0n)),
  overload('list<uint>.sum() uint', sumOf(new CelUint(0n))),
  overload('list<double>.sum() double', sumOf(0)),
  overload('list<duration>.sum() duration', sumOf(new CelDuration(0n))),
  overload('list<A>.indexOf(A) int', indexOf),
  overload('list<A>.lastIndexOf(A) int', lastIndexOf),
  overload('list<A>.slice(int, int) list<A>', slice),
  overload('list<list<A>>.flatten() list<A>', flattened),
  overload('list<dyn>.flatten(int) list<dyn>', flattened),
  overload('list<A>.distinct() list<A>', distinct),
  overload('list<A>.reverse() list<A>', ({ items }: CelList) => new CelList([...items].reverse())),
  overload('lists.range(int) list<int>', range),
  overload('sets.contains(list<A>, list<A>) bool', containsAll),
  overload('sets.equivalent(list<A>, list<A>) bool', (a: CelList, b: CelList) => containsAll(a, b) && containsAll(b, a)),
  overload('sets.intersects(list<A>, list<A>) bool', (a: CelList, b: CelList) => b.items.some((value) => contains(a, value))),
];
