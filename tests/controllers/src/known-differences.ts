/** Why scenarios differ from a real control plane. */
export const knownDifferences: Readonly<Record<string, string>> = {
  'budget-unhealthy': 'a real controller sees the budget before the pods that were created just before it, and reports that there are none',
  'claim-without-class': 'the scheduler does not wait for claims',
  'daemon-set-taints': 'the DaemonSet and the taint manager delete the pod at the same time; here the taint manager is first',
  'deployment-orphan': 'a real Deployment loses its ReplicaSets one after another, here at once with its deletion',
  'deployment-quota': 'a real ReplicaSet is reconciled more often, so that its retries are further apart',
  'deployment-surge-all': 'a real controller finds several new pods ready in one step',
  'job-replaces-terminating': 'a real job controller collects the changes of pods for a second',
  'namespace-deleted': 'a real namespace controller waits for half of the grace period of pods before it continues',
  'no-nodes': 'the scheduler also tries between the addition of a node and the removal of its first taint',
  'quota-status': 'the annotation of the last change of endpoints is dropped earlier',
  'replica-set-failed-pods': 'a failed pod is replaced ten seconds after its creation at the earliest',
  'slices-named-ports': 'a real controller writes a slice once more when a Service is labelled and changed',
  'slices-readiness': 'the annotation of the last change of endpoints is dropped earlier',
  'stateful-set-claims': 'the scheduler does not wait for claims',
  'stateful-set-claims-deleted': 'the scheduler does not wait for claims',
  'stateful-set-failing': 'a failed pod is replaced ten seconds after its creation at the earliest',
};
