import type { Pod } from '@nodeagent/api';
import { decodeUtf8 } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { downwardApiPayload } from './downward-api-payload.js';

const pod = (limits?: Record<string, string>): Pod => ({
  spec: { containers: [{ name: 'main' }], ...(limits && { resources: { limits } }) },
});
const items = ['cpu', 'memory'].map((name) => ({
  path: name,
  resourceFieldRef: { containerName: 'main', resource: `limits.${name}` },
}));
const valuesOf = (of: Pod) => {
  const payload = downwardApiPayload({ items, defaultMode: 0o644 }, of, () => ({ cpu: '8', memory: '16Gi' }));
  return Object.fromEntries(Array.from(payload, ([path, { data }]) => [path, decodeUtf8(data)]));
};

it('reports the limits of the pod, else allocatable resources, for a container without limits', () => {
  expect(valuesOf(pod({ cpu: '1250m' }))).toEqual({ cpu: '2', memory: `${16 * 2 ** 30}` });
  expect(valuesOf(pod({ memory: '64Mi' }))).toEqual({ cpu: '8', memory: '67108864' });
  expect(valuesOf(pod())).toEqual({ cpu: '8', memory: `${16 * 2 ** 30}` });
});
