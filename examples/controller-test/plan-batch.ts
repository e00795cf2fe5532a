import type { V1Pod } from '@kubernetes/client-node';

/** A batch: so many runs of an image, some at a time. */
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
  /** Tries that failed. */
  failed: number;
}

/** What is to be done for a batch, and how it stands. */
export interface BatchPlan {
  create: V1Pod[];
  status: BatchStatus;
}

const [runLabel, tryLabel] = ['example.com/run', 'example.com/try'];

/** The whole decision, from what is seen now: no clock, no client, no memory. */
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

/** Named by run and try: made twice from an old view of things, it exists already and no second one comes about. */
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
