/** How a pod, a node or a workload does, for its colour: `bad` needs attention, `waiting` starts or retries, `done` has terminated. */
export type ClusterLevel = 'good' | 'waiting' | 'bad' | 'done';
