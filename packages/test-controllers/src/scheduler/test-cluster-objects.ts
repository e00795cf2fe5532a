import type { Node, Pod, Taint } from '@nodeagent/api';
import { buildPod, type PodInput } from '@nodeagent/testing';

/** A node of a test. */
export interface NodeInput {
  allocatable?: Record<string, string>;
  labels?: Record<string, string>;
  taints?: Taint[];
  unschedulable?: boolean;
  conditions?: Record<string, string>;
  images?: { names: string[]; sizeBytes: number }[];
}

export function aNode(name: string, input: NodeInput = {}): Node {
  const { allocatable, labels, taints, unschedulable, conditions = { Ready: 'True' }, images } = input;
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable },
      conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
      ...(images && { images }),
    },
  };
}

export const waiting = (name: string, input: Partial<PodInput> = {}): Pod => buildPod({ name, nodeName: '', ...input });
export const bound = (name: string, nodeName: string, input: Partial<PodInput> = {}): Pod => buildPod({ name, nodeName, ...input });
export const asking = (requests: Record<string, string>) => [{ image: 'i', resources: { requests } }];
