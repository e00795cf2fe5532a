/** A Deployment, StatefulSet, DaemonSet, ReplicaSet or Job, or a part of one. */
export interface Workload {
  kind?: string;
  metadata?: { uid?: string; namespace?: string; name?: string };
  spec?: { replicas?: number; completions?: number };
  status?: { readyReplicas?: number; numberReady?: number; desiredNumberScheduled?: number; succeeded?: number };
}

/** A workload, such as `Deployment web`, and its ready and desired pods. */
export interface WorkloadModel {
  id: string;
  kind: string;
  namespace: string;
  name: string;
  ready: number;
  desired: number;
}

/** A workload in short. The pods of a Job that succeeded count as ready. */
export function workloadModel({ kind = '', metadata, spec, status }: Workload): WorkloadModel {
  return {
    id: metadata?.uid ?? '',
    kind,
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    ready: status?.readyReplicas ?? status?.numberReady ?? status?.succeeded ?? 0,
    desired: status?.desiredNumberScheduled ?? spec?.replicas ?? spec?.completions ?? 1,
  };
}
