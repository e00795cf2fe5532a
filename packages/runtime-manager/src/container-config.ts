import { type Container, type EnvironmentVariable, expandContainerArgs, expandContainerCommand, type Pod } from '@nodeagent/api';
import type { ContainerConfig, Mount } from '@nodeagent/cri-api';
import { hashContainer } from './hash-container.js';
import { containerAnnotations, containerLabels } from './labels.js';
import { type LinuxResourceSettings, linuxContainerResources } from './linux-resources.js';
import { containerLogPath } from './log-paths.js';
import { verifyRunAsNonRoot } from './run-as-non-root.js';
import { type ContainerSecurityInputs, containerSecurityContext } from './security-context.js';

export interface ContainerConfigInputs extends ContainerSecurityInputs {
  /** The image to create from, as whoever ensured it named it. */
  imageRef: string;
  restartCount: number;
  /** The final environment; of several variables with one name the last counts. */
  environment: readonly EnvironmentVariable[];
  mounts: readonly Mount[];
  resources: LinuxResourceSettings;
}

/** The CRI configuration of one attempt of a container. Throws CreateContainerConfigError for what the spec forbids. */
export function generateContainerConfig(pod: Pod, container: Container, inputs: ContainerConfigInputs): ContainerConfig {
  verifyRunAsNonRoot(pod, container, inputs.imageUser);
  const { name, image = '', workingDir = '', stdin = false, stdinOnce = false, tty = false } = container;
  const { environment, restartCount } = inputs;
  const encoder = new TextEncoder();
  return {
    metadata: { name, attempt: restartCount },
    image: { image: inputs.imageRef, userSpecifiedImage: image },
    command: expandContainerCommand(container, environment),
    args: expandContainerArgs(container, environment),
    workingDir,
    envs: environment.map(({ name: key, value }) => ({ key, value: encoder.encode(value) })),
    mounts: [...inputs.mounts],
    labels: containerLabels(pod, container),
    annotations: containerAnnotations(pod, container, hashContainer(container), restartCount),
    logPath: containerLogPath(name, restartCount),
    stdin,
    stdinOnce,
    tty,
    linux: {
      resources: linuxContainerResources(pod, container, inputs.resources),
      securityContext: containerSecurityContext(pod, container, inputs),
    },
  };
}
