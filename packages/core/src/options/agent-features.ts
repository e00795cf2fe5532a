import type { AgentServer } from '../options/agent-options.js';
import { isResizable, type RuntimeCapabilities } from './runtime-capabilities.js';

/** Features of a runtime that can resize containers. */
const runtimeFeatures = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

/**
 * The declared features that an agent with these options and this runtime supports. An API server checks them on the Node before it accepts a pod or an
 * update that needs them. Named as their feature gates. KEP-5328, "Node Declared Features".
 */
export function agentFeatures({ server }: { server?: AgentServer }, capabilities: Pick<RuntimeCapabilities, 'resizing'>): string[] {
  const servesStreams = server?.https !== undefined && server.settings?.enableDebuggingHandlers !== false;
  return [...(servesStreams ? ['ExtendWebSocketsToKubelet'] : []), ...(isResizable(capabilities) ? runtimeFeatures : [])];
}
