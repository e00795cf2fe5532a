import type { Node, Taint } from '@nodeagent/api';

/** The taint of a condition with an unhealthy status. */
const taintNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: 'not-ready', Unknown: 'unreachable' },
  MemoryPressure: { True: 'memory-pressure' },
  DiskPressure: { True: 'disk-pressure' },
  PIDPressure: { True: 'pid-pressure' },
  NetworkUnavailable: { True: 'network-unavailable' },
};

const noSchedule = (name: string): Taint => ({ key: `node.kubernetes.io/${name}`, effect: 'NoSchedule' });
const allNames = [...Object.values(taintNames).flatMap((byStatus) => Object.values(byStatus)), 'unschedulable'];

/**
 * The NoSchedule taints that follow from a node's spec and conditions, and those that must not be there. A node that never reported Ready
 * counts as not ready. Kubernetes documentation, "Taints and Tolerations: Taint Nodes by Condition".
 */
export function conditionTaints({ spec, status }: Pick<Node, 'spec' | 'status'>): { wanted: Taint[]; unwanted: Taint[] } {
  const conditions = status?.conditions ?? [];
  const names = spec?.unschedulable ? ['unschedulable'] : [];
  names.push(...conditions.flatMap(({ type, status: value }) => taintNames[type]?.[value] ?? []));
  if (!conditions.some(({ type }) => type === 'Ready')) names.push('not-ready');
  return { wanted: names.map(noSchedule), unwanted: allNames.filter((name) => !names.includes(name)).map(noSchedule) };
}

/** A node's taints, including those that the control plane derives. */
export function nodeTaints(node: Pick<Node, 'spec' | 'status'>): Taint[] {
  return [...(node.spec?.taints ?? []), ...conditionTaints(node).wanted];
}
