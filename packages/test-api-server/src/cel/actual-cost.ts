import { type CostArgument, callCost, times } from './costs.js';
import type { CelOverload } from './functions.js';
import { type CelType, celTypes } from './types.js';
import { CelList, CelMap, CelOpaque, type CelValue, sizeOf } from './values.js';

const textFactor = 0.1;
const patternFactor = 0.25;
const listWalks = new Set(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf']);

/** The cost of a call for its values, target first. It is known before the call, so that no call is larger than the limit. */
export function actualCost(name: string, overload: CelOverload, values: readonly CelValue[]): number {
  const [first = null, second = null] = values;
  if (listWalks.has(name)) return traversal(first);
  if (name === 'join' && first instanceof CelList) return joining(first, second);
  if (name === 'validate' && first instanceof CelOpaque) {
    const text = Math.ceil((1 + sizeOf(second)) * textFactor);
    return times(text, Math.ceil(first.patternSize * patternFactor));
  }
  return callCost(name, overload, values.map(argumentOf)).cost;
}

/** A value with its size; of lists also the type of their elements. */
function argumentOf(value: CelValue): CostArgument {
  const size = sizeOf(value);
  const literal = typeof value === 'bigint' ? { literal: value } : {};
  return { size: { min: size, max: size }, type: typeOf(value), ...literal };
}

function typeOf(value: CelValue): CelType {
  if (typeof value === 'string') return celTypes.string;
  if (value instanceof Uint8Array) return celTypes.bytes;
  if (value instanceof CelList) return { kind: 'list', element: typeof value.items[0] === 'string' ? celTypes.string : celTypes.int };
  if (value instanceof CelMap) return { kind: 'map', key: celTypes.dyn, value: celTypes.dyn };
  if (value instanceof CelOpaque) return { kind: 'opaque', name: value.typeName };
  return celTypes.int;
}

/** The cost of a walk through all that a value holds. */
function traversal(value: CelValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(value.length * textFactor);
  if (value instanceof CelList) return value.items.reduce<number>((cost, item) => cost + traversal(item), 0);
  if (!(value instanceof CelMap)) return 1;
  return value.keys().reduce<number>((cost, key) => cost + traversal(key) + traversal(value.get(key) ?? null), 0);
}

function joining({ items }: CelList, separator: CelValue): number {
  const between = typeof separator === 'string' ? separator.length * Math.max(0, items.length - 1) : 0;
  const length = items.reduce<number>((sum, item) => sum + sizeOf(item), between);
  return Math.ceil(length * 2 * textFactor);
}
