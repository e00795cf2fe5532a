import { NodeAgentError, type ResourceList } from '@nodeagent/api';
import type { EnvironmentPorts } from '@nodeagent/api/helpers';
import { volumePluginsErrorCodes } from '../errors.js';
import type { TokenManager } from '../tokens/token-manager.js';
import type { PayloadSources } from './payload-sources.js';

export interface PayloadSourcesOptions {
  /** Reads config maps and secrets, as for the environment of containers. */
  environment: Pick<EnvironmentPorts, 'getConfigMap' | 'getSecret'>;
  tokens: Pick<TokenManager, 'getServiceAccountToken'>;
  /** The node's allocatable resources, the default of unset limits. Default: none. */
  nodeAllocatable?(): ResourceList;
}

/** The payload sources of a node. A missing getter rejects with `Standalone` and the message of a standalone kubelet. */
export function createPayloadSources(options: PayloadSourcesOptions): PayloadSources {
  const { environment, tokens, nodeAllocatable } = options;
  const { getConfigMap, getSecret } = environment;
  return {
    configured: getConfigMap !== undefined || getSecret !== undefined,
    getConfigMap: getConfigMap?.bind(environment) ?? standalone,
    getSecret: getSecret?.bind(environment) ?? standalone,
    getServiceAccountToken: tokens.getServiceAccountToken,
    ...(nodeAllocatable && { nodeAllocatable }),
  };
}

async function standalone(): Promise<never> {
  throw new NodeAgentError(volumePluginsErrorCodes.standalone, 'not supported due to running kubelet in standalone mode');
}
