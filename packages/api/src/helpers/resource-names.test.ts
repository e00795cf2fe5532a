import { expect, it } from 'vitest';
import { isExtendedResource, isHugePages, isScalarResource } from './resource-names.js';

it.each([
  ['cpu', false, false],
  ['memory', false, false],
  ['ephemeral-storage', false, false],
  ['hugepages-2Mi', false, true],
  ['example.com/gpu', true, true],
  ['requests.example.com/gpu', false, false],
  ['kubernetes.io/batch', false, true],
  ['attachable-volumes-csi-x', false, true],
])('%s is extended: %s, counted: %s', (name, extended, scalar) => {
  expect([isExtendedResource(name), isScalarResource(name), isHugePages(name)]).toEqual([extended, scalar, name.startsWith('hugepages-')]);
});
