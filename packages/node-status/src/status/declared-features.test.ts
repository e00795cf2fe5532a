import { expect, it } from 'vitest';
import { declaredFeatures } from './declared-features.js';

const features = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

it('declares no feature whose feature gate is off', () => {
  expect(declaredFeatures(features)).toEqual(features);
  expect(declaredFeatures(features.toReversed())).toEqual(features);
  const gates = { InPlacePodVerticalScalingInitContainers: false, ExtendWebSocketsToKubelet: true, MemoryQoS: true };
  expect(declaredFeatures(features, gates)).toEqual([features[0], features[1], features[3]]);
  expect(declaredFeatures(features, { NodeDeclaredFeatures: false })).toEqual([]);
});
