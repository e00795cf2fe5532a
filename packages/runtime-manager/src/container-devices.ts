import { type Container, type MountedVolume, NodeAgentError, type Pod } from '@nodeagent/api';
import type { CDIDevice, Device, LinuxContainerResources, Mount } from '@nodeagent/cri-api';
import { runtimeManagerErrorCodes } from './errors.js';

/** What device plugins and dynamic resources add to a container. */
export interface ContainerDeviceOptions {
  devices?: readonly Device[];
  /** Devices by their CDI names. */
  cdiDevices?: readonly CDIDevice[];
  mounts?: readonly Mount[];
  /** Variables by name; one of the same name in the spec counts instead. */
  environment?: Readonly<Record<string, string>>;
  /** Annotations of the container; those that the runtime manager keeps itself count instead. */
  annotations?: Readonly<Record<string, string>>;
}

/** What others on the node do around a container's life, such as giving it CPUs. A rejection fails the start with a reason of its own. */
export interface ContainerLifecycle {
  /** Before the container is created: resources that count instead of the computed ones, such as `cpusetCpus`. */
  preCreate?(pod: Pod, container: Container): Promise<LinuxContainerResources>;
  /** Between the container's creation and its start. */
  preStart?(pod: Pod, container: Container, containerId: string): Promise<void>;
  /** The container does not run any more; called any number of times. A rejection is logged. */
  postStop?(containerId: string): Promise<void>;
}

/** The block volumes of a container as devices. Throws CreateContainerConfigError for one that is not there. */
export function blockDevices(container: Container, volumes: ReadonlyMap<string, MountedVolume>): Device[] {
  return (container.volumeDevices ?? []).map(({ name, devicePath }) => {
    const volume = volumes.get(name);
    if (volume?.block) return { containerPath: devicePath, hostPath: volume.hostPath, permissions: volume.readOnly ? 'r' : 'mrw' };
    throw new NodeAgentError(
      runtimeManagerErrorCodes.createContainerConfig,
      `cannot find volume "${name}" to pass into container "${container.name}"`,
    );
  });
}
