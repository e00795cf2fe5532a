import type { RuntimeService } from '@nodeagent/cri-api';

/** The CRI RuntimeService methods that the runtime manager uses. */
export type CriRuntime = Pick<
  RuntimeService,
  | 'version'
  | 'status'
  | 'runPodSandbox'
  | 'stopPodSandbox'
  | 'removePodSandbox'
  | 'podSandboxStatus'
  | 'listPodSandbox'
  | 'createContainer'
  | 'startContainer'
  | 'stopContainer'
  | 'removeContainer'
  | 'listContainers'
  | 'containerStatus'
  | 'containerStats'
  | 'updateContainerResources'
  | 'updatePodSandboxResources'
  | 'execSync'
  | 'exec'
  | 'attach'
  | 'portForward'
  | 'updateRuntimeConfig'
>;
