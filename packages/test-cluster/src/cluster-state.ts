import type { Node, Pod } from '@nodeagent/api';
import { formatTime, isPodReady } from '@nodeagent/api/helpers';
import { describePod } from '@nodeagent/testing';

/** A node with what the test did to it. */
export interface NodeState {
  name: string;
  isUp: boolean;
  isPartitioned: boolean;
  object(): Node | undefined;
}

interface WorkloadStatus {
  replicas?: number;
  readyReplicas?: number;
  desiredNumberScheduled?: number;
  numberReady?: number;
  active?: number;
  succeeded?: number;
  failed?: number;
}

export interface Workload {
  kind?: string;
  metadata?: { namespace?: string; name?: string };
  status?: WorkloadStatus;
}

const maxPods = 20;

/** The state of a cluster in a few lines: its nodes, its workloads, and its pods, those that are not ready first. */
export function describeCluster(now: number, nodes: readonly NodeState[], workloads: readonly Workload[], pods: readonly Pod[]): string {
  const ready = nodes.filter((node) => readiness(node.object()) === 'True').length;
  const ordered = [...pods.filter((pod) => !isPodReady(pod)), ...pods.filter(isPodReady)];
  const rest = ordered.length - maxPods;
  return [
    `${formatTime(now)}: ${ready} of ${nodes.length} nodes are Ready, ${pods.filter(isPodReady).length} of ${pods.length} pods are`,
    ...nodes.filter((node) => node.isPartitioned || !node.isUp || readiness(node.object()) !== 'True').map(describeNode),
    ...workloads.map(({ kind, metadata, status = {} }) => `${kind} ${metadata?.namespace}/${metadata?.name}: ${counts(status)}`),
    ...ordered.slice(0, maxPods).map((pod) => `pod ${pod.metadata?.namespace}/${pod.metadata?.name}: ${describePod(pod, now)}`),
    ...(rest > 0 ? [`and ${rest} pods more`] : []),
  ].join('\n  ');
}

const readiness = (node: Node | undefined) => node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

function describeNode(node: NodeState): string {
  const object = node.object();
  const state = object === undefined ? 'its Node does not exist' : `Ready=${readiness(object) ?? 'not reported'}`;
  const agent = `its agent ${node.isUp ? 'runs' : 'does not run'}`;
  return `node ${node.name}: ${[state, agent, ...(node.isPartitioned ? ['it is partitioned'] : [])].join(', ')}`;
}

function counts({ replicas, readyReplicas, desiredNumberScheduled, numberReady, active, succeeded, failed }: WorkloadStatus): string {
  if (active !== undefined) return `${active} active, ${succeeded ?? 0} succeeded, ${failed ?? 0} failed`;
  const [total, ready] = [replicas ?? desiredNumberScheduled ?? 0, readyReplicas ?? numberReady ?? 0];
  return `${ready} of ${total} pods are Ready`;
}

/** The text of a predicate, on one line. */
export function predicateText(predicate: () => boolean): string {
  const text = String(predicate)
    .replace(/\s+/g, ' ')
    .replace(/^\(\) => /, '');
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}
