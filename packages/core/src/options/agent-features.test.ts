import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import type { NodeAgentOptions } from '../node-agent-options.js';
import { agentFeatures } from './agent-features.js';
import { runtimeCapabilities } from './runtime-capabilities.js';

const resizeAndRestart = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];
const https = {} as NonNullable<NonNullable<NodeAgentOptions['server']>['https']>;

const resizable = { resizing: { isPodResizeInProgress: () => false, actuatedPod: (pod: Pod) => pod } };
const plain = { resizing: runtimeCapabilities.resizing.fallback };

it("declares the kubelet's features that the agent supports", () => {
  expect(agentFeatures({ server: { https } }, resizable)).toEqual(['ExtendWebSocketsToKubelet', ...resizeAndRestart]);
  expect(agentFeatures({}, resizable)).toEqual(resizeAndRestart);
  expect(agentFeatures({ server: { https, settings: { enableDebuggingHandlers: false } } }, resizable)).toEqual(resizeAndRestart);
  expect(agentFeatures({ server: { https } }, plain)).toEqual(['ExtendWebSocketsToKubelet']);
});
