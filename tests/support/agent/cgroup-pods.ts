import type { Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { testImage } from '../runtimes/private-runtime.js';
import { until } from '../until.js';
import type { ClusterNode } from './cluster-node.js';
import { cgroupValues, kubepodsPath } from './node-cgroups.js';

/** Pods with one container on a node of a cluster, and their cgroups. */
export function cgroupPods(cluster: ClusterNode) {
  const get = (name: string) => cluster.server.objects.get<Pod>('pods', name);
  const uidOf = (name: string) => get(name)?.metadata?.uid ?? '';
  const pathOf = (qos: string, uid: string) => kubepodsPath(cluster.work.root, qos, `pod${uid}`);
  const values = (qos: string, name: string) => cgroupValues(pathOf(qos, uidOf(name)));
  const containerOf = (name: string) => get(name)?.status?.containerStatuses?.[0]?.containerID?.replace(/^.*:\/\//, '') ?? 'none';

  const podWith = (name: string, resources: object): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: testImage,
          imagePullPolicy: 'IfNotPresent',
          command: ['sh', '-c', 'trap "exit 0" TERM; sleep infinity & wait $!'],
          resources,
        },
      ],
    },
  });
  const start = async (name: string, resources: object) => {
    cluster.server.objects.create<Pod>(podWith(name, resources));
    await until(`${name} to be ready`, async () => isPodReady(get(name) ?? {}));
  };
  const resize = (name: string, resources: object) =>
    cluster.server.objects.update<Pod>(
      'pods',
      name,
      ({ spec }) => {
        for (const container of spec?.containers ?? []) container.resources = resources;
      },
      { subresource: 'resize' },
    );

  return { get, uidOf, pathOf, values, containerOf, podWith, start, resize };
}
