import type { Pod } from '@nodeagent/api';
import { explainPod } from '../explain/explain-pod.js';
import type { PodStateExplanation } from '../explain/pod-explanation.js';
import { podColumns } from '../pod-columns.js';
import type { ClusterLevel } from './level.js';

export interface PodModel {
  /** UID. */
  id: string;
  namespace: string;
  name: string;
  /** Empty before it is scheduled. */
  node: string;
  level: ClusterLevel;
  /** READY, STATUS and RESTARTS as kubectl prints them. */
  ready: string;
  status: string;
  restarts: number;
  /** Names of its containers, init containers first. */
  containers: string[];
}

/** A pod in short; `now` is in milliseconds since 1970. */
export function podModel(pod: Pod, now: number): PodModel {
  const { metadata, spec, status } = pod;
  const columns = podColumns(pod, now);
  return {
    id: metadata?.uid ?? '',
    namespace: metadata?.namespace ?? '',
    name: columns.name,
    node: spec?.nodeName ?? '',
    level: levels[explainPod(pod, { now }).severity],
    ready: columns.ready,
    status: columns.status,
    restarts: (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0),
    containers: [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name),
  };
}

const levels: Readonly<Record<PodStateExplanation['severity'], ClusterLevel>> = {
  ok: 'good',
  busy: 'waiting',
  warning: 'waiting',
  error: 'bad',
  done: 'done',
};

/** Creates a reader of pods in short: a pod that has not changed keeps its model. */
export function createPodModels(): (pods: readonly Pod[], now: number) => PodModel[] {
  let known = new Map<string, { version: string | undefined; model: PodModel }>();
  return (pods, now) => {
    const read: typeof known = new Map();
    for (const pod of pods) {
      const { uid = '', resourceVersion: version } = pod.metadata ?? {};
      const before = known.get(uid);
      read.set(uid, before?.version === version && before ? before : { version, model: podModel(pod, now) });
    }
    known = read;
    return [...read.values()].map(({ model }) => model);
  };
}
