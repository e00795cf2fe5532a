/** Why scenarios differ from a real control plane, by chance or on purpose. An entry of one that no longer differs fails the run. */
export const knownDifferences: Readonly<Record<string, string>> = {
  'budget-unhealthy': 'a real controller sees the budget before the pods that were created just before it, and reports that there are none',
  'daemon-set-taints': 'the DaemonSet and the taint manager delete the pod at the same time; here the taint manager is first',
  'deployment-orphan': 'a real Deployment loses its ReplicaSets one after another, here at once with its deletion',
  'deployment-quota': 'a real ReplicaSet is reconciled more often, so that its retries are further apart',
  'deployment-surge-all': 'a real controller finds several new pods ready in one step',
  'job-replaces-terminating': 'a real job controller collects the changes of pods for a second',
  'namespace-deleted': 'a real namespace controller waits for half of the grace period of pods before it continues',
  'replica-set-failed-pods': 'on purpose: without a kubelet that needs time, a pod that fails at once would be replaced without end',
  'slices-named-ports':
    'which slice of a Service without pods stays as its empty one is chance: a real controller takes the first of a Go map',
  'stateful-set-failing': 'on purpose: without a kubelet that needs time, a pod that fails at once would be replaced without end',
};
