import { nameCgroupRoots, removeCgroupRoots } from '../support/agent/cgroup-roots.js';
import { provideContainerd } from '../support/containerd/provide-containerd.js';
import { provideOciPrograms } from '../support/oci/provide-oci-programs.js';

/** Once before all end-to-end tests: where containerd is a must (CI), what is missing is installed. */
export function setup(): void {
  nameCgroupRoots();
  if (process.env.NODEAGENT_E2E !== 'required') return;
  provideContainerd(true);
  provideOciPrograms();
}

/** Once after all of them. */
export const teardown = removeCgroupRoots;
