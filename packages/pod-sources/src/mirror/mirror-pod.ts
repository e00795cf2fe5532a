import { type Node, NodeAgentError, type Pod } from '@nodeagent/api';
import { configHashAnnotation, configMirrorAnnotation, isMirrorPodOf } from '@nodeagent/api/helpers';
import { podSourcesErrorCodes } from '../errors.js';

/** The actions that give a static pod its mirror pod. */
export interface MirrorPodActions {
  /** The existing mirror pod represents another version of the static pod, or is being deleted. */
  delete: boolean;
  create: boolean;
}

/** Compares a static pod with its mirror pod. Source: Kubernetes documentation, "Static Pods". */
export function mirrorPodActions(pod: Pod, mirrorPod: Pod | undefined): MirrorPodActions {
  if (mirrorPod === undefined) return { delete: false, create: true };
  const outdated = !!mirrorPod.metadata?.deletionTimestamp || !isMirrorPodOf(mirrorPod, pod);
  return { delete: outdated, create: outdated };
}

/**
 * The mirror pod to create for a static pod: a copy with the pod's hash and the node as its owner, so that it is deleted with the node.
 * Throws `NodeWithoutUID` for a node without a UID.
 */
export function buildMirrorPod(pod: Pod, node: Node): Pod {
  const { name = '', uid = '' } = node.metadata ?? {};
  if (uid === '') throw new NodeAgentError(podSourcesErrorCodes.nodeWithoutUid, `UID unset for node ${name}`);
  const hash = pod.metadata?.annotations?.[configHashAnnotation] ?? '';
  return {
    ...pod,
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...pod.metadata,
      annotations: { ...pod.metadata?.annotations, [configMirrorAnnotation]: hash },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid, controller: true }],
    },
  };
}
