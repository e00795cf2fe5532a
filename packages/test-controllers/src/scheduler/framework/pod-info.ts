import type { Pod, Toleration } from '@nodeagent/api';
import { podQosClass } from '@nodeagent/api/helpers';
import { type AffinityTerms, affinityTerms, type Labels } from './affinity-terms.js';
import { type HostPort, hostPortsOf } from './host-ports.js';
import { type Amounts, podAmounts, scoredAmounts } from './resources.js';

/** A pod with what the rules read of it, computed once. */
export interface PodInfo {
  readonly pod: Pod;
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly requests: Amounts;
  /** Requests as scores count them: containers without requests count as 100m CPU and 200 MiB. */
  readonly scored: Amounts;
  readonly hostPorts: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  /** Terms of affinity and anti-affinity to other pods. */
  readonly near: AffinityTerms;
  readonly apart: AffinityTerms;
  readonly isTerminating: boolean;
}

/** Pods that request CPU or memory are admitted under memory pressure. */
const toleratesMemoryPressure: Toleration = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };

export function podInfoOf(pod: Pod): PodInfo {
  const { metadata = {}, spec } = pod;
  const { affinity, tolerations = [] } = spec ?? {};
  const namespace = metadata.namespace ?? '';
  const requests = podAmounts(pod);
  return {
    pod,
    key: `${namespace}/${metadata.name ?? ''}`,
    namespace,
    labels: metadata.labels ?? {},
    priority: spec?.priority ?? 0,
    requests,
    scored: scoredAmounts(pod, requests),
    hostPorts: hostPortsOf(pod),
    tolerations: podQosClass(pod) === 'BestEffort' ? tolerations : [...tolerations, toleratesMemoryPressure],
    near: affinityTerms(pod, affinity?.podAffinity),
    apart: affinityTerms(pod, affinity?.podAntiAffinity),
    isTerminating: metadata.deletionTimestamp !== undefined,
  };
}
