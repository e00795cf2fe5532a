import { type EnvironmentPorts, NodeAgentError, type ResourceList } from '@nodeagent/api';
import type { PayloadSources, TokenManager } from '@nodeagent/volume-manager';
import { coreErrorCodes } from './errors.js';

export interface VolumeSourcesOptions {
  /** Config maps and secrets, as containers' environments have them. */
  environment: Pick<EnvironmentPorts, 'getConfigMap' | 'getSecret'>;
  tokens: Pick<TokenManager, 'getServiceAccountToken'>;
  nodeAllocatable(): ResourceList;
}

/** Where the content of volumes comes from. What the agent has nobody to ask for fails in the kubelet's words. */
export function createVolumeSources({ environment, tokens, nodeAllocatable }: VolumeSourcesOptions): PayloadSources {
  const { getConfigMap, getSecret } = environment;
  return {
    configured: getConfigMap !== undefined || getSecret !== undefined,
    getConfigMap: getConfigMap?.bind(environment) ?? standsAlone,
    getSecret: getSecret?.bind(environment) ?? standsAlone,
    getServiceAccountToken: tokens.getServiceAccountToken,
    nodeAllocatable,
  };
}

async function standsAlone(): Promise<never> {
  throw new NodeAgentError(coreErrorCodes.standsAlone, 'not supported due to running kubelet in standalone mode');
}
