import type { Node, Taint } from '@nodeagent/api';

/** The taint of a condition with an unhealthy status. */
const conditionTaints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: 'not-ready', Unknown: 'unreachable' },
  MemoryPressure: { True: 'memory-pressure' },
  DiskPressure: { True: 'disk-pressure' },
  PIDPressure: { True: 'pid-pressure' },
  NetworkUnavailable: { True: 'network-unavailable' },
};

const noSchedule = (name: string): Taint => ({ key: `node.kubernetes.io/${name}`, effect: 'NoSchedule' });

/**
 * A node's taints, including those that the control plane derives from its spec and conditions. A node
 * that never reported Ready counts as not ready. Kubernetes documentation, "Taints and Tolerations: Taint Nodes by Condition".
 */
export function nodeTaints({ spec, status }: Pick<Node, 'spec' | 'status'>): Taint[] {
  const conditions = status?.conditions ?? [];
  const byCondition = conditions.flatMap(({ type, status: value }) => {
    const name = conditionTaints[type]?.[value];
    return name === undefined ? [] : [noSchedule(name)];
  });
  const isReported = conditions.some(({ type }) => type === 'Ready');
  return [
    ...(spec?.taints ?? []),
    ...(spec?.unschedulable ? [noSchedule('unschedulable')] : []),
    ...(isReported ? [] : [noSchedule('not-ready')]),
    ...byCondition,
  ];
}
