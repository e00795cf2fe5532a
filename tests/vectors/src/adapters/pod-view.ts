import { type JsonObject, printerOf } from '@nodeagent/pod-view';
import { type Adapter, defineAdapter } from '../adapter.js';
import { rolesWithoutLabels } from '../masks.js';

interface Printed {
  now: string;
  object: JsonObject;
}

/** The names and cells of all columns. Empty texts are cells too. */
function table(resource: string, { now, object }: Printed) {
  const { columns, cells } = printerOf(resource);
  return { columns: columns.map(({ name }) => name), cells: cells(object, Date.parse(now)) };
}

const resources: Readonly<Record<string, string>> = {
  pod: 'pods',
  deployment: 'deployments.apps',
  replicaset: 'replicasets.apps',
  statefulset: 'statefulsets.apps',
  daemonset: 'daemonsets.apps',
  job: 'jobs.batch',
  cronjob: 'cronjobs.batch',
  service: 'services',
  persistentvolumeclaim: 'persistentvolumeclaims',
  event: 'events',
  namespace: 'namespaces',
  secret: 'secrets',
  configmap: 'configmaps',
};

export const podViewAdapters: Adapter[] = [
  ...Object.entries(resources).map(([kind, resource]) => defineAdapter(`${kind}-columns`, (input: Printed) => table(resource, input))),
  defineAdapter('node-columns', (input: Printed) => table('nodes', input), { masks: [rolesWithoutLabels] }),
];
