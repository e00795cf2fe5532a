import type { TestCluster } from './test-cluster.js';

/** For this package's tests: what a program that does not end returns. */
export const never = () => new Promise<undefined>(() => {});

/** The log lines of a pod, of all runs of its container. */
export function logs(cluster: TestCluster, pod: string): string[] {
  return cluster.nodes.flatMap(({ runtime }) =>
    runtime.containers().flatMap((container) => (container.pod === pod ? runtime.logs(container.id) : [])),
  );
}
