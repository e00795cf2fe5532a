import type { CheckedExpr } from './checker.js';
import { callCost, listCost, mapCost, selectCost, structCost, times } from './costs.js';
import type { Expr, FoldExpr } from './expr.js';
import type { CelType } from './types.js';

/** Upper bounds: the cost of an expression, and the size of its value. */
interface Bound {
  cost: number;
  size: number;
}

const sized = new Set(['string', 'bytes', 'list', 'map', 'dyn', 'object']);

/** The greatest cost that an expression may have for values of the declared sizes; infinite if a size has no limit. */
export function estimateCost({ expr, types, qualified }: CheckedExpr): number {
  const sizes = new Map<string, number>();
  const sizeOfType = (type: CelType | undefined) => (type && sized.has(type.kind) ? (type.maxSize ?? Number.POSITIVE_INFINITY) : 1);
  const all = (exprs: readonly Expr[]) => exprs.map(bound);

  function bound(node: Expr): Bound {
    const size = sizeOfType(types.get(node));
    switch (node.kind) {
      case 'literal':
        return { cost: 0, size };
      case 'ident':
        return { cost: selectCost, size: sizes.get(node.name) ?? size };
      case 'select':
        return qualified.has(node) ? { cost: 0, size: 1 } : { cost: bound(node.operand).cost + (node.isTest ? 0 : selectCost), size };
      case 'list': {
        const elements = all(node.elements.map(({ value }) => value));
        return { cost: listCost + sum(elements), size: elements.length };
      }
      case 'map':
        return { cost: mapCost + sum(all(node.entries.flatMap(({ key, value }) => [key, value]))), size: node.entries.length };
      case 'struct':
        return { cost: structCost + sum(all(node.fields.map(({ value }) => value))), size: 1 };
      case 'fold':
        return fold(node);
      case 'call':
        return call(node, size);
    }
  }

  function call(node: Extract<Expr, { kind: 'call' }>, size: number): Bound {
    const args = [...(node.target && !qualified.has(node) ? [node.target] : []), ...node.args];
    const bounds = all(args);
    const [first, second, third] = bounds as [Bound, Bound, Bound];
    if (node.name === '_?_:_') return { cost: first.cost + Math.max(second.cost, third.cost), size: Math.max(second.size, third.size) };
    if (node.name === '_&&_' || node.name === '_||_') return { cost: sum(bounds), size: 1 };
    if (node.name === '_[_]' || node.name === '_[?_]') return { cost: sum(bounds) + selectCost, size };
    const sizesOfArgs = bounds.map((each) => each.size);
    const kind = args[0] && types.get(args[0])?.kind;
    const isText = kind === 'string' || kind === 'bytes' || kind === 'dyn';
    return {
      cost: sum(bounds) + callCost(qualified.get(node) ?? node.name, sizesOfArgs, isText),
      size: resultSize(node.name, sizesOfArgs, size),
    };
  }

  function fold({ range, accumulator, initial, condition, step, result }: FoldExpr): Bound {
    const over = bound(range);
    const start = bound(initial);
    const before = sizes.get(accumulator);
    const isBinding = condition.kind === 'literal' && condition.value === false;
    const growth = types.get(initial)?.kind === 'list' || types.get(initial)?.kind === 'map' ? over.size : 1;
    sizes.set(accumulator, isBinding ? start.size : growth);
    const round = isBinding ? 0 : times(over.size, bound(condition).cost + bound(step).cost);
    const end = bound(result);
    if (before === undefined) sizes.delete(accumulator);
    else sizes.set(accumulator, before);
    return { cost: over.cost + start.cost + round + end.cost, size: end.size };
  }

  return bound(expr).cost;
}

const sum = (bounds: readonly Bound[]) => bounds.reduce((total, { cost }) => total + cost, 0);

/** The size of a call's value, where the type of the expression does not limit it. */
function resultSize(name: string, [first = 1, second = 1]: readonly number[], declared: number): number {
  switch (name) {
    case '_+_':
      return declared === 1 ? 1 : first + second;
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
    case 'reverse':
    case 'split':
    case 'find':
    case 'findAll':
      return first;
    case 'string':
      return Math.max(first, 64);
    case 'charAt':
      return 1;
    default:
      return declared;
  }
}
