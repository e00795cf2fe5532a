import type { Pod, Secret } from '@nodeagent/api';

/** A pod in the namespace `prod` that takes its environment from these secrets. */
export function podWith(uid: string, ...secrets: string[]): Pod {
  return {
    metadata: { name: `pod-${uid}`, namespace: 'prod', uid },
    spec: { containers: [{ name: 'app', envFrom: secrets.map((name) => ({ secretRef: { name } })) }] },
  };
}

export function secret(name: string, version: number, more: Partial<Secret> = {}): Secret {
  return { metadata: { name, namespace: 'prod', resourceVersion: String(version) }, data: { key: btoa(`v${version}`) }, ...more };
}
