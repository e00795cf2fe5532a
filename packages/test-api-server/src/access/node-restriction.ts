import { isMirrorPod, type Pod } from '@nodeagent/api';
import { forbidden } from '../status.js';
import type { RequestUser } from './user.js';

/** A write before it is executed. */
export interface AdmissionRequest {
  user: RequestUser;
  verb: 'create' | 'update' | 'delete';
  group: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name: string;
  /** The new object; absent for a deletion. */
  object?: object;
  /** The stored object; absent for a creation. */
  before?: object;
}

type Facts = { metadata?: { labels?: Record<string, string> }; spec?: { boundObjectRef?: { kind?: string; name?: string } } };

const prefix = 'system:node:';
/** A node must not set labels of these domains on itself, except for a few. */
const guarded = /(^|\.)(kubernetes|k8s)\.io\//;
const allowedLabels =
  /^((beta\.)?kubernetes\.io\/(os|arch|instance-type)|kubernetes\.io\/hostname|(failure-domain\.beta|topology)\.kubernetes\.io\/(zone|region)|node\.kubernetes\.io\/(instance-type|windows-build)|(.+\.)?(kubelet|node)\.kubernetes\.io\/.+)$/;

/** The node name of a node's user; undefined for other users. */
function nodeOfUser({ username, groups = [] }: RequestUser): string | undefined {
  return username.startsWith(prefix) && groups.includes('system:nodes') ? username.slice(prefix.length) : undefined;
}

/**
 * Throws 403 for writes that a node must not make: objects of other nodes, pods except mirror pods, labels that isolate workloads. Kubernetes
 * documentation, "Admission Control in Kubernetes: NodeRestriction".
 */
export function restrictNode(
  request: AdmissionRequest,
  nodeOfPod: (namespace: string | undefined, name: string) => string | undefined,
): void {
  const node = nodeOfUser(request.user);
  if (node === undefined) return;
  const { group, resource, name } = request;
  const why = problemOf(request, node, nodeOfPod);
  if (why !== undefined) throw forbidden({ kind: resource, name, ...(group && { group }) }, why);
}

function problemOf(
  request: AdmissionRequest,
  node: string,
  nodeOfPod: (namespace: string | undefined, name: string) => string | undefined,
): string | undefined {
  const { group, resource, name, namespace, subresource, object } = request;
  switch (`${group}/${resource}`) {
    case '/pods':
      return podProblem(request, node);
    case '/nodes':
      return name === node ? labelProblem(request, node) : `node "${node}" is not allowed to modify node "${name}"`;
    case '/serviceaccounts': {
      if (subresource !== 'token') return undefined;
      const { kind, name: pod = '' } = (object as Facts).spec?.boundObjectRef ?? {};
      if (kind !== 'Pod') return 'node requested token not bound to a pod';
      return nodeOfPod(namespace, pod) === node ? undefined : 'node requested token bound to a pod scheduled on a different node';
    }
    case 'coordination.k8s.io/leases':
      if (namespace !== 'kube-node-lease') return 'can only access leases in the "kube-node-lease" system namespace';
      return name === node ? undefined : 'can only access node lease with the same name as the requesting node';
    case 'storage.k8s.io/csinodes':
      return name === node ? undefined : 'can only access CSINode with the same name as the requesting node';
    default:
      return undefined;
  }
}

function podProblem({ verb, subresource, object, before }: AdmissionRequest, node: string): string | undefined {
  const bound = (before as Pod | undefined)?.spec?.nodeName;
  if (subresource === 'eviction') return bound === node ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
  if (verb === 'delete') return bound === node ? undefined : `node "${node}" can only delete pods with spec.nodeName set to itself`;
  if (verb === 'update') {
    if (subresource !== 'status') return `unexpected pod subresource "${subresource ?? ''}"`;
    return bound === node ? undefined : `node "${node}" can only update pod status for pods with spec.nodeName set to itself`;
  }
  const pod = object as Pod;
  if (!isMirrorPod(pod)) return `pod does not have "kubernetes.io/config.mirror" annotation, node "${node}" can only create mirror pods`;
  if (pod.spec?.nodeName !== node) return `node "${node}" can only create pods with spec.nodeName set to itself`;
  if (pod.spec.serviceAccountName) return `node "${node}" can not create pods that reference a service account`;
  return undefined;
}

function labelProblem({ object, before }: AdmissionRequest, node: string): string | undefined {
  const [now, was] = [(object as Facts | undefined)?.metadata?.labels ?? {}, (before as Facts | undefined)?.metadata?.labels ?? {}];
  const changed = Object.keys({ ...now, ...was }).filter((key) => now[key] !== was[key]);
  const isolating = changed.filter((key) => key.includes('node-restriction.kubernetes.io/'));
  const unknown =
    before === undefined ? [] : changed.filter((key) => guarded.test(key) && !allowedLabels.test(key) && !isolating.includes(key));
  const refused = [...isolating, ...unknown];
  return refused.length === 0 ? undefined : `node "${node}" is not allowed to modify labels: ${refused.sort().join(', ')}`;
}
