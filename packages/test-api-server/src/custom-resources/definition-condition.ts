import type { DefinitionCondition, DefinitionStatusFields } from './definition-spec.js';

/** A status with a condition; its time changes with its status. */
export function withCondition(
  status: DefinitionStatusFields,
  condition: Omit<DefinitionCondition, 'lastTransitionTime'>,
  now: string,
): DefinitionStatusFields {
  const conditions = status.conditions ?? [];
  const before = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
  const after: DefinitionCondition = { ...condition, ...(lastTransitionTime && { lastTransitionTime }) };
  const others = before ? conditions.map((each) => (each === before ? after : each)) : [...conditions, after];
  return { ...status, conditions: others };
}
