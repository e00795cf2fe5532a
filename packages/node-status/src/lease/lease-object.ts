import type { Lease, Node, OwnerReference, Time } from '@nodeagent/api';

export const leaseNamespace = 'kube-node-lease';

export interface LeaseInput {
  nodeName: string;
  leaseDurationSeconds: number;
  /** Wall-clock milliseconds. */
  now: number;
}

/** The node's first lease. Kubernetes documentation, "Leases: Node heartbeats". */
export function newLease({ nodeName, leaseDurationSeconds, now }: LeaseInput, owner: OwnerReference): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: nodeName, namespace: leaseNamespace, ownerReferences: [owner] },
    spec: { holderIdentity: nodeName, leaseDurationSeconds, renewTime: formatMicroTime(now) },
  };
}

/** The renewed lease; `owner` is set on a lease without one. */
export function renewedLease(lease: Lease, now: number, owner: OwnerReference | undefined): Lease {
  return {
    ...lease,
    metadata: { ...lease.metadata, ...(owner && { ownerReferences: [owner] }) },
    spec: { ...lease.spec, renewTime: formatMicroTime(now) },
  };
}

/** Whether the lease has no owner, so that it would remain after the Node's deletion. */
export function hasNoOwner({ metadata }: Lease): boolean {
  return (metadata?.ownerReferences ?? []).length === 0;
}

export function nodeOwner({ metadata }: Node): OwnerReference {
  return { apiVersion: 'v1', kind: 'Node', name: metadata?.name ?? '', uid: metadata?.uid ?? '' };
}

/** Milliseconds as `metav1.MicroTime`. */
function formatMicroTime(ms: number): Time {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}
