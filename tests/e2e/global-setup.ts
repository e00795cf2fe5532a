import { nameCgroupRoots, removeCgroupRoots } from '../support/agent/cgroup-roots.js';
import { provideContainerd } from '../support/containerd/provide-containerd.js';

/** Once before all end-to-end tests: where containerd is a must (CI), what is missing is installed. */
export function setup(): void {
  nameCgroupRoots();
  if (process.env.NODEAGENT_E2E === 'required') provideContainerd(true);
}

/** Once after all of them. */
export const teardown = removeCgroupRoots;
