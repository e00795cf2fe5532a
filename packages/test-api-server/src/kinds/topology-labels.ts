import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';

const labels = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];

/** Gives a pod that is assigned to a node the labels of its zone: Kubernetes documentation, "Admission control: PodTopologyLabels". */
export function setTopologyLabels(pod: ApiObject, nodeName: string, { store }: Pick<ApiContext, 'store'>): void {
  const ofNode = store.get('/nodes', undefined, nodeName)?.metadata.labels ?? {};
  for (const label of labels) {
    const value = ofNode[label];
    if (value !== undefined) pod.metadata.labels = { ...pod.metadata.labels, [label]: value };
  }
}
