import { expect, it } from 'vitest';
import { declaredFeatures } from '../cluster/declared-features.js';
import type { NodeAgentOptions } from '../node-agent-options.js';
import { agentFeatures } from './agent-features.js';

const resizeAndRestart = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];
const https = {} as NonNullable<NonNullable<NodeAgentOptions['server']>['https']>;

it('declares what a kubelet declares, as far as the agent does it', () => {
  expect(agentFeatures({ server: { https } })).toEqual(['ExtendWebSocketsToKubelet', ...resizeAndRestart]);
  expect(agentFeatures({})).toEqual(resizeAndRestart);
  expect(agentFeatures({ server: { https, settings: { enableDebuggingHandlers: false } } })).toEqual(resizeAndRestart);
  expect(agentFeatures({ server: { https }, parts: { runtime: {} as never } })).toEqual(['ExtendWebSocketsToKubelet']);
});

it('declares nothing whose feature gate is off', () => {
  const features = agentFeatures({ server: { https } });
  expect(declaredFeatures(features)).toEqual(features);
  const gates = { InPlacePodVerticalScalingInitContainers: false, ExtendWebSocketsToKubelet: true, MemoryQoS: true };
  expect(declaredFeatures(features, gates)).toEqual([features[0], resizeAndRestart[0], resizeAndRestart[2]]);
  expect(declaredFeatures(features, { NodeDeclaredFeatures: false })).toEqual([]);
});
