import type { OwnerReference, Pod } from '@nodeagent/api';
import { isMirrorPod } from '@nodeagent/api/helpers';
import { findApiReference } from '@nodeagent/pod-sources/decisions';
import { notFound } from '../../status.js';
import type { NodeRule } from './node-rule.js';

/** Refuses pods of other nodes; `why` is the start of the message. */
export const boundPodsOnly =
  (why: (node: string) => string): NodeRule =>
  ({ object, before }, node) =>
    ((before ?? object) as Pod).spec?.nodeName === node ? undefined : `${why(node)} with spec.nodeName set to itself`;

export const mirrorPodsOnly: NodeRule = ({ object }, node) =>
  isMirrorPod(object as Pod)
    ? undefined
    : `pod does not have "kubernetes.io/config.mirror" annotation, node "${node}" can only create mirror pods`;

/** A mirror pod's only owner is its Node, so it is deleted with the Node and blocks nothing. */
export const ownedByNode: NodeRule = ({ object }, node, cluster) => {
  const [owner, ...others] = (object as Pod).metadata?.ownerReferences ?? [];
  const problem = others.length > 0 ? 'can only create pods with a single owner reference set to itself' : ownerProblem(owner, node);
  if (problem !== undefined) return `node "${node}" ${problem}`;
  const stored = cluster.get('/nodes', undefined, node);
  if (stored === undefined) throw notFound({ kind: 'node', name: node });
  const { uid } = stored.metadata;
  return owner?.uid === uid ? undefined : `node ${node} UID mismatch: expected ${owner?.uid} got ${uid}`;
};

function ownerProblem(owner: OwnerReference | undefined, node: string): string | undefined {
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return 'can only create pods with an owner reference set to itself';
  if (!owner.controller) return 'can only create pods with a controller owner reference set to itself';
  return owner.blockOwnerDeletion ? 'must not set blockOwnerDeletion on an owner reference' : undefined;
}

/** The Node authorizer lets a node read what its pods refer to, so a node must not choose that (CVE-2025-4563). */
export const noApiReferences: NodeRule = ({ object }, node) => {
  const reference = findApiReference(object as Pod);
  return reference && `node "${node}" can not create pods that reference ${reference.to}`;
};
