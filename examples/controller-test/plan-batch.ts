import type { V1Pod } from '@kubernetes/client-node';

/** A batch: a number of runs of an image, some of them in parallel. */
export interface Batch {
  apiVersion: 'example.com/v1';
  kind: 'Batch';
  metadata: { name: string; namespace: string; uid: string };
  spec: { runs: number; parallelism: number; retries: number; image: string };
  status?: BatchStatus;
}

export interface BatchStatus {
  phase: 'Running' | 'Complete' | 'Failed';
  active: number;
  succeeded: number;
  /** Number of failed attempts. */
  failed: number;
}

/** The pods to create for a batch, and its status. */
export interface BatchPlan {
  create: V1Pod[];
  status: BatchStatus;
}

const [runLabel, tryLabel] = ['example.com/run', 'example.com/try'];

/** The complete decision, from the observed state: no clock, no client, no stored state. */
export function planBatch(batch: Batch, pods: readonly V1Pod[]): BatchPlan {
  const { runs, parallelism, retries } = batch.spec;
  const active = pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  const succeeded = new Set(pods.filter(({ status }) => status?.phase === 'Succeeded').map(runOf));
  const failed = pods.filter(({ status }) => status?.phase === 'Failed');
  const create: V1Pod[] = [];
  let lost = false;
  for (let run = 0; run < runs && active.length + create.length < parallelism; run++) {
    if (succeeded.has(run) || active.some((pod) => runOf(pod) === run)) continue;
    const tries = failed.filter((pod) => runOf(pod) === run).length;
    if (tries > retries) lost = true;
    else create.push(podOf(batch, run, nextTry(pods, run)));
  }
  if (lost) create.length = 0;
  const phase = lost ? 'Failed' : succeeded.size >= runs ? 'Complete' : 'Running';
  return { create, status: { phase, active: active.length + create.length, succeeded: succeeded.size, failed: failed.length } };
}

const runOf = ({ metadata }: V1Pod) => Number(metadata?.labels?.[runLabel]);

const nextTry = (pods: readonly V1Pod[], run: number) =>
  Math.max(-1, ...pods.filter((pod) => runOf(pod) === run).map(({ metadata }) => Number(metadata?.labels?.[tryLabel]))) + 1;

/** Named by run and attempt: a second creation from an outdated view fails because the pod exists. */
function podOf({ apiVersion, kind, metadata, spec }: Batch, run: number, attempt: number): V1Pod {
  const { name, namespace, uid } = metadata;
  return {
    metadata: {
      name: `${name}-${run}-${attempt}`,
      namespace,
      labels: { 'example.com/batch': name, [runLabel]: `${run}`, [tryLabel]: `${attempt}` },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 5, containers: [{ name: 'main', image: spec.image }] },
  };
}
