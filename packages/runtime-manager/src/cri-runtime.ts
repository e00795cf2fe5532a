import type { RuntimeService } from '@nodeagent/cri-api';

/** What the runtime manager asks of a CRI runtime. */
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
