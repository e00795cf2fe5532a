import type { Runtime } from '@nodeagent/api';
import type { AgentServer } from '../options/agent-options.js';
import { isResizable } from './runtime-capabilities.js';

/** Features of a runtime that can resize containers. */
const runtimeFeatures = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

/**
 * The declared features that an agent with these options supports. An API server checks them on the Node before it accepts a pod or an
 * update that needs them. Named as their feature gates. KEP-5328, "Node Declared Features".
 */
export function agentFeatures({ server, parts }: { server?: AgentServer; parts?: { runtime?: Runtime } }): string[] {
  const servesStreams = server?.https !== undefined && server.settings?.enableDebuggingHandlers !== false;
  return [
    ...(servesStreams ? ['ExtendWebSocketsToKubelet'] : []),
    ...(parts?.runtime === undefined || isResizable(parts.runtime) ? runtimeFeatures : []),
  ];
}
