import { expect, it } from 'vitest';
import { isScalarResource } from './scalar-resource.js';

it.each([
  ['cpu', false],
  ['memory', false],
  ['ephemeral-storage', false],
  ['hugepages-2Mi', true],
  ['example.com/gpu', true],
  ['requests.example.com/gpu', false],
  ['kubernetes.io/batch', true],
  ['attachable-volumes-csi-x', true],
])('%s is counted in whole units: %s', (name, expected) => expect(isScalarResource(name)).toBe(expected));
