import type { Pod } from '@nodeagent/api';
import { isPodConditionTrue, podUid } from '@nodeagent/api/helpers';
import type { Invariant } from './snapshot.js';

/** A pod is Ready only with all its containers ready, and after the conditions of all its readiness gates were true. */
export const readyConditions: Invariant = ({ history }, { openedGates }) =>
  history.writes.flatMap(({ after }) => {
    const gates = (after.spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
    for (const type of gates) if (isPodConditionTrue(after.status, type)) openedGates.add(keyOf(after, type));
    if (!isPodConditionTrue(after.status, 'Ready')) return [];
    const unready = (after.status?.containerStatuses ?? []).filter(({ ready }) => !ready).map(({ name }) => `container ${name}`);
    const closed = gates.filter((type) => !openedGates.has(keyOf(after, type))).map((type) => `gate ${type}`);
    return [...unready, ...closed].map((what) => `${after.metadata?.name} is Ready without ${what}`);
  });

const keyOf = (pod: Pod, gate: string) => `${podUid(pod)}/${gate}`;
