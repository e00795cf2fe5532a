import { type EnvironmentPorts, NodeAgentError, type ResourceList } from '@nodeagent/api';
import { volumePluginsErrorCodes } from '../errors.js';
import type { TokenManager } from '../tokens/token-manager.js';
import type { PayloadSources } from './payload-sources.js';

export interface PayloadSourcesOptions {
  /** Config maps and secrets, as containers' environments get them. */
  environment: Pick<EnvironmentPorts, 'getConfigMap' | 'getSecret'>;
  tokens: Pick<TokenManager, 'getServiceAccountToken'>;
  /** The node's allocatable resources: what stands in for limits that are not set. */
  nodeAllocatable(): ResourceList;
}

/** The sources of a node's volumes. What has no getter rejects with `StandsAlone`, in the words of a standalone kubelet. */
export function createPayloadSources({ environment, tokens, nodeAllocatable }: PayloadSourcesOptions): PayloadSources {
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
  throw new NodeAgentError(volumePluginsErrorCodes.standsAlone, 'not supported due to running kubelet in standalone mode');
}
