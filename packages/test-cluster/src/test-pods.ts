import type { Container, Pod, PodSpec } from '@nodeagent/api';

/** For this package's tests: a pod with one container `main`. */
export const podOf = (name: string, container: Partial<Container> = {}, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'app:1', ...container }], ...spec },
});
