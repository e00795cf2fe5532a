/** Cost of a variable, and of a field of an object. */
export const selectCost = 1;
export const listCost = 10;
export const mapCost = 30;
export const structCost = 40;

/** The cost of walking through a text, for each character. */
const textFactor = 0.1;
const patternFactor = 0.25;

const textCost = (size: number) => Math.ceil(size * textFactor);

/** Functions that walk once through their first argument. */
const walkers = new Set(
  (
    'lowerAscii upperAscii substring trim split join charAt reverse strings.quote format bytes string quantity isQuantity ip isIP ip.isCanonical cidr ' +
    'isCIDR url isURL semver isSemver validate base64.encode base64.decode containsIP containsCIDR'
  ).split(' '),
);

const comparisons = new Set(['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_']);
const listWalkers = new Set(['isSorted', 'sum', 'min', 'max', 'indexOf', 'lastIndexOf']);

/** Cost of a check of the authorizer. */
const authorizerCost = 350_000;

/**
 * The cost of a call for the sizes of its arguments, target first. `isText`: whether the first one is a string or bytes. It grows with each
 * size, so it also bounds the cost for sizes up to a maximum. Kubernetes documentation, "CEL: Resource constraints".
 */
export function callCost(name: string, sizes: readonly number[], isText: boolean): number {
  const [first = 1, second = 1, third = 1] = sizes;
  if (comparisons.has(name)) return Math.max(1, textCost(Math.min(first, second)));
  if (name === '@in') return Math.max(1, second);
  if (name.startsWith('sets.')) return Math.max(1, times(first, second));
  if (name === 'check') return authorizerCost;
  if (!isText) return listWalkers.has(name) ? Math.max(1, first) : walkers.has(name) ? Math.max(1, textCost(first)) : 1;
  switch (name) {
    case '_+_':
      return Math.max(1, textCost(first + second));
    case 'startsWith':
    case 'endsWith':
      return Math.max(1, textCost(second));
    case 'contains':
    case 'indexOf':
    case 'lastIndexOf':
      return Math.max(1, times(textCost(first), textCost(second)));
    case 'replace':
      return Math.max(1, times(textCost(first), Math.max(1, textCost(third))));
    case 'matches':
    case 'find':
    case 'findAll':
      return times(textCost(1 + first), Math.max(1, Math.ceil(second * patternFactor)));
    default:
      return walkers.has(name) ? Math.max(1, textCost(first)) : 1;
  }
}

/** A product of sizes; nothing times unbounded is nothing. */
export const times = (a: number, b: number) => (a === 0 || b === 0 ? 0 : a * b);
