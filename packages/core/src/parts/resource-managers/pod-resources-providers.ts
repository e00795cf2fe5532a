import type { DeviceManager } from '@nodeagent/device-manager';
import type { PodResourcesProviders } from '@nodeagent/pod-resources';
import type { RunningManagers } from './container-hooks.js';

/** The managers as the pod resources API reads them. */
export function podResourcesProviders(running: RunningManagers | undefined, devices: DeviceManager | undefined): PodResourcesProviders {
  const { cpus, memory } = running ?? {};
  return {
    ...(devices && { devices }),
    ...(cpus && {
      cpus: {
        exclusiveCpus: (podUID, containerName) => cpus.getExclusiveCpus(podUID, containerName).list(),
        allocatableCpus: () => cpus.getAllocatableCpus().list(),
      },
    }),
    ...(memory && { memory }),
  };
}
