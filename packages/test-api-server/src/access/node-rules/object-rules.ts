import { type CertificateSigningRequest, errorMessage, type PersistentVolumeClaim, type ResourceSlice } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import { readCertificateRequest } from '@nodeagent/x509/decisions';
import type { ApiObject } from '../../objects.js';
import { denialOf } from '../authorizer.js';
import { type NodeRule, never } from './node-rule.js';

/** Refuses a write that the Node authorizer grants to no node. */
export const notGranted = never((write) => denialOf({ ...write, isResource: true }));

/** A node records the expansion of a volume, nothing else. */
export const expansionOnly: NodeRule = ({ object, before }, node) =>
  equalJson(withoutExpansion(object as ApiObject), withoutExpansion(before as ApiObject))
    ? undefined
    : `node "${node}" is not allowed to update fields other than status.quantity and status.conditions`;

function withoutExpansion(claim: ApiObject): object {
  const { managedFields: _managed, resourceVersion: _version, ...metadata } = claim.metadata;
  const { status = {} } = claim as PersistentVolumeClaim;
  const {
    capacity: _capacity,
    conditions: _conditions,
    allocatedResources: _allocated,
    allocatedResourceStatuses: _statuses,
    ...rest
  } = status;
  return { ...claim, metadata, status: rest };
}

export const nodeLeasesOnly: NodeRule = ({ namespace }) =>
  namespace === 'kube-node-lease' ? undefined : 'can only access leases in the "kube-node-lease" system namespace';

/** Refuses objects with another name than the node's; `what` is the kind in the message. */
export const namedAsNode =
  (what: string): NodeRule =>
  ({ name }, node) =>
    name === node ? undefined : `can only access ${what} with the same name as the requesting node`;

export const ownSlicesOnly: NodeRule = (write, node) => {
  const slice = (write.before ?? write.object) as ResourceSlice;
  if (slice.spec?.nodeName === node) return undefined;
  // Updates are refused by the Node authorizer, the others by the plugin.
  if (write.verb === 'update')
    return `${denialOf({ ...write, isResource: true })}: no relationship found between node '${node}' and this object`;
  return `can only ${write.verb} ResourceSlice with the same NodeName as the requesting node`;
};

const nodeSigners = ['kubernetes.io/kube-apiserver-client-kubelet', 'kubernetes.io/kubelet-serving'];

/** A node requests certificates for no name but its own. */
export const certificatesOfNodeOnly: NodeRule = ({ object }, node) => {
  const { signerName, request } = (object as CertificateSigningRequest).spec ?? {};
  if (signerName === undefined || !nodeSigners.includes(signerName)) return undefined;
  try {
    const { subject } = readCertificateRequest(atob(request ?? ''));
    return subject.commonName === `system:node:${node}` ? undefined : `can only create a node CSR with CN=system:node:${node}`;
  } catch (error) {
    return `unable to parse csr: ${errorMessage(error)}`;
  }
};
