import type { KubeObject, PodSpec } from '@nodeagent/api';

export interface Deployment extends KubeObject {
  spec: {
    replicas: number;
    selector: { matchLabels: Record<string, string> };
    template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
  };
}

/** A Deployment in a namespace of the same name. Its pods have no requests, so that nodes under memory pressure get none of them. */
export function deployment(name: string, replicas: number, image: string): Deployment {
  const labels = { app: name };
  const containers = [{ name: 'main', image }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}
