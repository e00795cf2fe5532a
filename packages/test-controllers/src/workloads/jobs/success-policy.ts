import type { SuccessPolicy } from '../objects.js';
import { parseIndexes } from './index-set.js';

/** Why an indexed job counts as succeeded with these indexes; undefined if it does not. Kubernetes documentation, "Jobs: Success policy". */
export function matchSuccessPolicy(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: ReadonlySet<number>,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = [...parseIndexes(succeededIndexes, completions)];
    const met = required.filter((each) => succeeded.has(each)).length;
    return required.length > 0 && (met === required.length || (succeededCount !== undefined && met >= succeededCount));
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
