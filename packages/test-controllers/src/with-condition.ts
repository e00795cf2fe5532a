import type { Pod, PodCondition } from '@nodeagent/api';
import { parseTime } from '@nodeagent/api/helpers';

/** Sets a condition; its transition time changes only with its status. */
export function withCondition(conditions: readonly PodCondition[], condition: PodCondition, now: string): PodCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const same = old?.status === condition.status && parseTime(old.lastTransitionTime) !== undefined;
  const lastTransitionTime = same ? (old.lastTransitionTime as string) : now;
  return [...conditions.filter(({ type }) => type !== condition.type), { ...condition, lastTransitionTime }];
}

/** The generation of the pod that a condition is about. */
export const observed = ({ metadata }: Pick<Pod, 'metadata'>): { observedGeneration?: number } =>
  metadata?.generation === undefined ? {} : { observedGeneration: metadata.generation };
