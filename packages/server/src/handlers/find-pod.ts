import type { Pod } from '@nodeagent/api';
import type { PathTarget } from '../endpoint-path.js';
import type { NodePods } from '../ports.js';

/** The pod of the path's namespace and name, whatever its UID. */
export function findPod({ pods }: NodePods, { namespace, pod: name }: Pick<PathTarget, 'namespace' | 'pod'>): Pod | undefined {
  return pods().find(({ metadata }) => metadata?.name === name && (metadata.namespace ?? 'default') === namespace);
}

/** Whether the UID of the path, if present, is that of the pod or of its mirror pod. */
export function hasUid({ translatePodUid = (uid) => uid }: NodePods, { metadata }: Pod, uid: string | undefined): boolean {
  return uid === undefined || translatePodUid(uid) === metadata?.uid;
}
