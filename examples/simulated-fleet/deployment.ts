import type { KubeObject, PodSpec } from '@nodeagent/api';

export interface Deployment extends KubeObject {
  spec: {
    replicas: number;
    selector: { matchLabels: Record<string, string> };
    template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
  };
}

/** A Deployment in the namespace of its own name. Its pods ask for nothing, so that nodes short of memory get none of them. */
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
