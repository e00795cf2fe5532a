import { expect, it } from 'vitest';
import type { NodeAgentOptions } from '../node-agent-options.js';
import { agentFeatures } from './agent-features.js';

const resizeAndRestart = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];
const https = {} as NonNullable<NonNullable<NodeAgentOptions['server']>['https']>;

it("declares the kubelet's features that the agent supports", () => {
  expect(agentFeatures({ server: { https } })).toEqual(['ExtendWebSocketsToKubelet', ...resizeAndRestart]);
  expect(agentFeatures({})).toEqual(resizeAndRestart);
  expect(agentFeatures({ server: { https, settings: { enableDebuggingHandlers: false } } })).toEqual(resizeAndRestart);
  expect(agentFeatures({ server: { https }, parts: { runtime: {} as never } })).toEqual(['ExtendWebSocketsToKubelet']);
});
