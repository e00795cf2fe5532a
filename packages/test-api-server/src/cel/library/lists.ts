import { CelEvalError } from '../cel-error.js';
import { compareValues, equalValues } from '../equality.js';
import { type CelOverload, overload, overloadFor } from '../functions.js';
import { CelDuration, type CelList, CelUint, type CelValue } from '../values.js';
import { operators } from './operators.js';

const isSorted = ({ items }: CelList) =>
  items.every((item, index) => index === 0 || (compareValues(items[index - 1] as CelValue, item) ?? 1) <= 0);

/** The least or the greatest element. */
function extreme({ items }: CelList, direction: 1 | -1, name: string): CelValue {
  if (items.length === 0) throw new CelEvalError(`${name} called on empty list`);
  return items.reduce((best, item) => ((compareValues(item, best) ?? 0) * direction > 0 ? item : best));
}

const plus = operators.filter(({ name }) => name === '_+_');

/** The sum of the elements; `zero` is that of an empty list. */
const sumOf =
  (zero: CelValue) =>
  ({ items }: CelList): CelValue =>
    items.length === 0
      ? zero
      : items.reduce((sum, item) => {
          const add = overloadFor(plus, false, [sum, item]);
          if (add === undefined) throw new CelEvalError('no such overload');
          return add.run(sum, item);
        });

const indexOf = ({ items }: CelList, value: CelValue) => BigInt(items.findIndex((item) => equalValues(item, value)));

function lastIndexOf({ items }: CelList, value: CelValue): bigint {
  for (let index = items.length - 1; index >= 0; index--) if (equalValues(items[index] as CelValue, value)) return BigInt(index);
  return -1n;
}

const contains = (set: CelList, value: CelValue) => set.items.some((each) => equalValues(each, value));
const containsAll = (set: CelList, values: CelList) => values.items.every((value) => contains(set, value));

const comparable = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'duration', 'timestamp'];

/** Kubernetes' list functions, and sets of lists. Kubernetes documentation, "CEL: Kubernetes list library". */
export const listFunctions: readonly CelOverload[] = [
  ...comparable.flatMap((type) => [
    overload(`list<${type}>.isSorted() bool`, isSorted),
    overload(`list<${type}>.min() ${type}`, (list: CelList) => extreme(list, -1, 'min')),
    overload(`list<${type}>.max() ${type}`, (list: CelList) => extreme(list, 1, 'max')),
  ]),
  overload('list<int>.sum() int', sumOf(0n)),
  overload('list<uint>.sum() uint', sumOf(new CelUint(0n))),
  overload('list<double>.sum() double', sumOf(0)),
  overload('list<duration>.sum() duration', sumOf(new CelDuration(0n))),
  overload('list<A>.indexOf(A) int', indexOf),
  overload('list<A>.lastIndexOf(A) int', lastIndexOf),
  overload('sets.contains(list<A>, list<A>) bool', containsAll),
  overload('sets.equivalent(list<A>, list<A>) bool', (a: CelList, b: CelList) => containsAll(a, b) && containsAll(b, a)),
  overload('sets.intersects(list<A>, list<A>) bool', (a: CelList, b: CelList) => b.items.some((value) => contains(a, value))),
];
