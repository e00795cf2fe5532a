import { expect, it } from 'vitest';
import { podResizeDetails } from './pod-resize-details.js';

it('has the init containers, the generation and the error', () => {
  const pod = { metadata: { name: 'p', generation: 1 }, spec: { initContainers: [{ name: 'i' }], containers: [{ name: 'c' }] } };
  const containers = '"initContainers":[{"name":"i","resources":{}}],"containers":[{"name":"c","resources":{}}]';
  expect(podResizeDetails(pod)).toBe(`{${containers},"generation":1}`);
  expect(podResizeDetails(pod, 'busy', 2)).toBe(`{${containers},"generation":2,"error":"busy"}`);
});
