import type { KubeObject, PodSpec } from '@nodeagent/api';

export interface Deployment extends KubeObject {
  spec: { replicas: number; template: { spec: PodSpec } };
}

/** A Deployment in the namespace of its own name. */
export const deployment = (name: string, replicas: number, image: string): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: name },
  spec: {
    replicas,
    ...{ selector: { matchLabels: { app: name } } },
    template: {
      ...{ metadata: { labels: { app: name } } },
      spec: { containers: [{ name: 'main', image }], terminationGracePeriodSeconds: 5 },
    },
  },
});
