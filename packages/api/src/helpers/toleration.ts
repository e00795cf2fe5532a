import type { Taint } from '../objects/node.js';
import type { Toleration } from '../objects/pod.js';

export interface TolerationOptions {
  /** Whether the operators `Lt` and `Gt` are enabled (KEP-5471, gate TaintTolerationComparisonOperators). Default false. */
  comparisonOperators?: boolean;
}

/** Whether the toleration accepts the taint. Kubernetes documentation, "Taints and Tolerations". */
export function tolerates(toleration: Toleration, taint: Taint, { comparisonOperators = false }: TolerationOptions = {}): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  const value = toleration.value ?? '';
  const taintValue = taint.value ?? '';
  switch (toleration.operator || 'Equal') {
    case 'Equal':
      return value === taintValue;
    case 'Exists':
      return true;
    case 'Lt':
      return comparisonOperators && compareIntegers(taintValue, value, (mine, limit) => mine < limit);
    case 'Gt':
      return comparisonOperators && compareIntegers(taintValue, value, (mine, limit) => mine > limit);
    default:
      return false;
  }
}

/** Whether any of the tolerations accepts the taint. */
export function toleratesAny(tolerations: readonly Toleration[] | null | undefined, taint: Taint, options?: TolerationOptions): boolean {
  return (tolerations ?? []).some((toleration) => tolerates(toleration, taint, options));
}

/** The first taint that the filter includes and no toleration accepts; undefined if there is none. */
export function findUntoleratedTaint(
  taints: readonly Taint[] | null | undefined,
  tolerations: readonly Toleration[] | null | undefined,
  wanted: (taint: Taint) => boolean,
  options?: TolerationOptions,
): Taint | undefined {
  return (taints ?? []).find((taint) => wanted(taint) && !toleratesAny(tolerations, taint, options));
}

const canonicalInteger = /^(0|-?[1-9][0-9]*)$/;

function compareIntegers(left: string, right: string, holds: (left: bigint, right: bigint) => boolean): boolean {
  if (!canonicalInteger.test(left) || !canonicalInteger.test(right)) return false;
  const [a, b] = [BigInt(left), BigInt(right)];
  return BigInt.asIntN(64, a) === a && BigInt.asIntN(64, b) === b && holds(a, b);
}
