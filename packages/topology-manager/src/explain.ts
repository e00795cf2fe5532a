import type { PodAdmitResult, TopologyHint } from '@nodeagent/api';
import { CpuSet } from '@nodeagent/api/helpers';
import type { ChosenHint, MergedHints } from './merge-hints.js';

/** The decision for one container, or with the scope `pod` for all containers of a pod. */
export interface AlignmentExplanation {
  /** Absent with the scope `pod`. */
  containerName?: string;
  /** The merged hint. */
  hint: TopologyHint;
  admit: boolean;
  /** The hint of each resource that led to the merged hint. */
  chosen: ChosenHint[];
  /** Why the merged hint is not preferred: one sentence for each cause. Empty if it is. */
  reasons: string[];
}

/** The last admission of a pod. */
export interface PodTopologyExplanation {
  podUID: string;
  namespace: string;
  name: string;
  /** Milliseconds since 1970. */
  decidedAt: number;
  result: PodAdmitResult;
  /** In the order of admission, up to the container that was refused. Empty with the policy `none`. */
  alignments: AlignmentExplanation[];
}

/** The decision and, if the hint is not preferred, the causes. A pure function. */
export function explainAlignment(merged: MergedHints, containerName?: string): AlignmentExplanation {
  const { hint, admit, chosen } = merged;
  return {
    ...(containerName !== undefined && { containerName }),
    hint,
    admit,
    chosen,
    reasons: hint.preferred ? [] : reasonsOf(merged),
  };
}

function reasonsOf({ chosen, unsatisfiable }: MergedHints): string[] {
  if (unsatisfiable.length > 0)
    return unsatisfiable.map((each) => `${nameOf(each)} cannot be provided from NUMA nodes that the policy accepts`);
  if (chosen.length === 0) return ['no NUMA node can provide all resources'];
  const notPreferred = chosen.filter(({ hint }) => !hint.preferred);
  if (notPreferred.length > 0) {
    return notPreferred.map((each) => `${nameOf(each)} is only available from NUMA nodes ${nodesOf(each)}, more nodes than it needs`);
  }
  return [`the resources prefer different NUMA nodes: ${chosen.map((each) => `${nameOf(each)} ${nodesOf(each)}`).join(', ')}`];
}

const nameOf = ({ provider, resource }: Pick<ChosenHint, 'provider' | 'resource'>) => `${resource ?? 'every resource'} (${provider})`;

const nodesOf = ({ hint }: ChosenHint) => (hint.numaNodes === null ? 'any' : CpuSet.of(hint.numaNodes).toString());
