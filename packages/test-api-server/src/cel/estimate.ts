import { type CheckedExpr, loopTypes } from './checker.js';
import { type CallCost, type CostArgument, callCost, listCost, mapCost, type Size, selectCost, structCost, times } from './costs.js';
import type { Expr, FoldExpr } from './expr.js';
import type { CelType } from './types.js';
import { textLength } from './values.js';

/** Upper bounds: the cost of an expression, and the size of its value. */
interface Bound {
  cost: number;
  size: Size;
}

const scalars = new Set<CelType['kind']>(['bool', 'int', 'uint', 'double', 'timestamp', 'duration']);
const exactly = (size: number): Size => ({ min: size, max: size });
const unknown: Size = { min: 0, max: Number.POSITIVE_INFINITY };

/** The sizes of the values of a type: within the declared maximum, otherwise those of a scalar or unbounded ones. */
function sizeOfType(type: CelType | undefined): Size {
  if (type?.maxSize !== undefined) return { min: 0, max: type.maxSize };
  if (type?.kind === 'type') return exactly(0);
  const inner = type?.kind === 'optional' ? type.element : type;
  return inner && scalars.has(inner.kind) ? exactly(1) : unknown;
}

function literalSize(value: Extract<Expr, { kind: 'literal' }>['value']): Size {
  return exactly(typeof value === 'string' ? textLength(value) : value instanceof Uint8Array ? value.length : 1);
}

const union = (a: Size, b: Size): Size => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
const sum = (bounds: readonly Bound[]) => bounds.reduce((total, { cost }) => total + cost, 0);

/** The greatest cost that an expression may have for values of the declared sizes; infinite if a size has no limit. */
export function estimateCost({ expr, types, calls, qualified }: CheckedExpr): number {
  const sizes = new Map<string, Size>();
  const all = (exprs: readonly Expr[]) => exprs.map(bound);

  function bound(node: Expr): Bound {
    const size = sizeOfType(types.get(node));
    switch (node.kind) {
      case 'literal':
        return { cost: 0, size: literalSize(node.value) };
      case 'ident':
        return { cost: selectCost, size: sizes.get(node.name) ?? size };
      case 'select': {
        if (qualified.has(node)) return { cost: selectCost, size: exactly(1) };
        const kind = types.get(node.operand)?.kind;
        const isHeld = node.isOptional || kind === 'map' || kind === 'object';
        return { cost: bound(node.operand).cost + (isHeld && !node.isTest ? selectCost : 0), size };
      }
      case 'list': {
        const elements = all(node.elements.map(({ value }) => value));
        return { cost: listCost + sum(elements), size: exactly(elements.length) };
      }
      case 'map':
        return {
          cost: mapCost + sum(all(node.entries.flatMap(({ key, value }) => [key, value]))),
          size: exactly(node.entries.length),
        };
      case 'struct':
        return { cost: structCost + sum(all(node.fields.map(({ value }) => value))), size };
      case 'fold':
        return fold(node);
      case 'call':
        return call(node, size);
    }
  }

  function call(node: Extract<Expr, { kind: 'call' }>, size: Size): Bound {
    const args = [...(node.target && !qualified.has(node) ? [node.target] : []), ...node.args];
    const bounds = all(args);
    const [first, second, third] = bounds as [Bound, Bound, Bound];
    if (node.name === '_?_:_') return { cost: first.cost + Math.max(second.cost, third.cost), size: union(second.size, third.size) };
    if (node.name === '_&&_' || node.name === '_||_') return { cost: sum(bounds), size: exactly(1) };
    const described = args.map((arg, index): CostArgument => {
      const literal = arg.kind === 'literal' ? { literal: arg.value } : {};
      return { size: (bounds[index] as Bound).size, type: types.get(arg) ?? { kind: 'dyn' }, ...literal };
    });
    const name = qualified.get(node) ?? node.name;
    const costs = (calls.get(node) ?? []).map((overload): CallCost => callCost(name, overload, described));
    const known = costs.flatMap((each) => each.size ?? []);
    return {
      cost: sum(bounds) + Math.max(0, ...costs.map(({ cost }) => cost)),
      size: known.length > 0 ? known.reduce(union) : size,
    };
  }

  function fold({ range, variables, accumulator, initial, condition, step, result }: FoldExpr): Bound {
    const over = bound(range);
    const start = bound(initial);
    const before = sizes.get(accumulator);
    const isBinding = condition.kind === 'literal' && condition.value === false;
    const isBuilding = initial.kind === 'list' || initial.kind === 'map';
    const loopSizes = loopTypes(types.get(range) ?? { kind: 'dyn' }, variables.length)?.map(sizeOfType) ?? [];
    // Elements of unknown size, as those of what a function returns, count as empty.
    for (const [index, name] of variables.entries())
      sizes.set(name, loopSizes[index]?.max === Infinity ? exactly(0) : (loopSizes[index] ?? unknown));
    sizes.set(accumulator, start.size);
    const round = isBinding ? 0 : times(over.size.max, bound(condition).cost + bound(step).cost);
    const end = bound(result);
    if (before === undefined) sizes.delete(accumulator);
    else sizes.set(accumulator, before);
    return { cost: over.cost + start.cost + round + end.cost, size: isBuilding && !isBinding ? over.size : end.size };
  }

  return bound(expr).cost;
}
