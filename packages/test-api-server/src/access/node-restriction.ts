import { forbidden } from '../status.js';
import type { AdmissionRequest } from './admission-request.js';
import { type ClusterFacts, keeps, type NodeRule, never } from './node-rules/node-rule.js';
import {
  certificatesOfNodeOnly,
  expansionOnly,
  namedAsNode,
  nodeLeasesOnly,
  notGranted,
  ownSlicesOnly,
} from './node-rules/object-rules.js';
import { allowedLabelsOnly, noConfigSource, noNewConfigSource, ownNodeOnly } from './node-rules/own-node-rules.js';
import { boundPodsOnly, mirrorPodsOnly, noApiReferences, ownedByNode } from './node-rules/pod-rules.js';
import { audienceOfPod, boundByUid, boundToPod, boundToPodOfNode } from './node-rules/token-rules.js';
import type { RequestUser } from './user.js';

type Restriction = Readonly<Partial<Record<AdmissionRequest['verb'], readonly NodeRule[]>>>;

const forAll = (...rules: NodeRule[]): Restriction => ({ create: rules, update: rules, delete: rules });

const updateOfNode: readonly NodeRule[] = [
  ownNodeOnly,
  noNewConfigSource,
  keeps('spec.taints', (node) => `node "${node}" is not allowed to modify taints`),
  // A Node whose owner is missing is garbage, so a node could delete itself (CVE-2025-5187).
  keeps('metadata.ownerReferences', (node) => `node "${node}" is not allowed to modify ownerReferences`),
  allowedLabelsOnly(() => 'is not allowed to modify labels'),
];

/**
 * The rules by resource and verb: those of the plugin, and for its resources those of the Node authorizer that the server would otherwise
 * lack. A node may make all other writes, such as those of events. `*`: the other subresources.
 */
const restrictions: Readonly<Record<string, Restriction>> = {
  pods: {
    create: [mirrorPodsOnly, boundPodsOnly((node) => `node "${node}" can only create pods`), ownedByNode, noApiReferences],
    update: [never((_write, node) => `unexpected operation "UPDATE", node "${node}" can only create and delete mirror pods`)],
    delete: [boundPodsOnly((node) => `node "${node}" can only delete pods`)],
  },
  'pods/status': {
    update: [
      boundPodsOnly((node) => `node "${node}" can only update pod status for pods`),
      keeps('metadata.labels', (node) => `node "${node}" cannot update labels through pod status`),
      // The Node authorizer lets a node read these claims (CVE-2025-4563). The spelling is the plugin's.
      keeps('status.resourceClaimStatuses', (node) => `node "${node}" cannot update resource claim statues`),
      keeps('status.extendedResourceClaimStatus', (node) => `node "${node}" cannot update extended resource claim status`),
    ],
  },
  'pods/eviction': { create: [boundPodsOnly((node) => `node ${node} can only evict pods`)] },
  'pods/*': forAll(never(({ subresource }) => `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`)),
  nodes: {
    create: [ownNodeOnly, noConfigSource, allowedLabelsOnly((node) => `node "${node}" is not allowed to set the following labels`)],
    update: updateOfNode,
    delete: [ownNodeOnly, notGranted],
  },
  'nodes/status': { update: updateOfNode },
  persistentvolumeclaims: forAll(never(() => 'may only update PVC status')),
  'persistentvolumeclaims/status': { update: [expansionOnly] },
  'serviceaccounts/token': { create: [boundToPod, boundByUid, boundToPodOfNode, audienceOfPod] },
  'leases.coordination.k8s.io': forAll(nodeLeasesOnly, namedAsNode('node lease')),
  'csinodes.storage.k8s.io': forAll(namedAsNode('CSINode')),
  'resourceslices.resource.k8s.io': forAll(ownSlicesOnly),
  'certificatesigningrequests.certificates.k8s.io': { create: [certificatesOfNodeOnly], update: [notGranted], delete: [notGranted] },
  'certificatesigningrequests.certificates.k8s.io/*': forAll(notGranted),
};

/**
 * Throws 403 for writes that a node must not make: objects of other nodes, pods except mirror pods, labels that isolate workloads and
 * others. Kubernetes documentation, "Admission Control in Kubernetes: NodeRestriction" and "Using Node Authorization".
 */
export function restrictNode(write: AdmissionRequest, cluster: ClusterFacts): void {
  const node = nodeOfUser(write.user);
  if (node === undefined) return;
  const { group, resource, subresource, name, verb } = write;
  const refuse = (why: string) => forbidden({ kind: resource, name, ...(group && { group }) }, why);
  if (node === '') throw refuse(`could not determine node from user "${write.user.username}"`);
  const key = group ? `${resource}.${group}` : resource;
  const restriction = subresource ? (restrictions[`${key}/${subresource}`] ?? restrictions[`${key}/*`]) : restrictions[key];
  for (const rule of restriction?.[verb] ?? []) {
    const why = rule(write, node, cluster);
    if (why !== undefined) throw refuse(why);
  }
}

const prefix = 'system:node:';

/** The node name of a node's user; undefined for other users. */
function nodeOfUser({ username, groups = [] }: RequestUser): string | undefined {
  return username.startsWith(prefix) && groups.includes('system:nodes') ? username.slice(prefix.length) : undefined;
}
