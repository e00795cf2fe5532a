import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { podResourcesFromSpec } from './pod-resources.js';

const withResources = (...resources: { limits?: Record<string, string>; requests?: Record<string, string> }[]) =>
  podResourcesFromSpec(buildPod({ name: 'p', containers: resources.map((each) => ({ resources: each })) }));

it('of a pod without requests and limits are empty', () => {
  expect(withResources({}, {})).toEqual({ resources: {} });
});

it('are the sums of its containers', () => {
  const first = { requests: { cpu: '150m', memory: '32Mi' }, limits: { cpu: '250m', memory: '64Mi' } };
  expect(withResources(first, { limits: { memory: '64Mi' } })).toEqual({
    resources: { requests: { cpu: '150m', memory: '96Mi' }, limits: { cpu: '250m', memory: '128Mi' } },
    allocatedResources: { cpu: '150m', memory: '96Mi' },
  });
});

it('in force are those last applied, until a resize has completed', () => {
  const pod = (cpu: string) => buildPod({ name: 'p', containers: [{ name: 'c', resources: { requests: { cpu } } }] });
  expect(podResourcesFromSpec(pod('2'), pod('1'))).toEqual({ resources: { requests: { cpu: '1' } }, allocatedResources: { cpu: '2' } });
});

it('are the pod-level resources of the spec where it has some', () => {
  const pod = buildPod({ name: 'p', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } });
  expect(podResourcesFromSpec(pod)).toEqual({
    resources: { requests: { cpu: '1' }, limits: { cpu: '2' } },
    allocatedResources: { cpu: '1' },
  });
});
