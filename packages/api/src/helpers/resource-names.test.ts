import { expect, it } from 'vitest';
import { isExtendedResource, isHugePages } from './resource-names.js';

it.each([
  ['cpu', false],
  ['memory', false],
  ['ephemeral-storage', false],
  ['hugepages-2Mi', false],
  ['example.com/gpu', true],
  ['requests.example.com/gpu', false],
  ['kubernetes.io/batch', false],
  ['attachable-volumes-csi-x', false],
])('%s is extended: %s', (name, extended) => {
  expect([isExtendedResource(name), isHugePages(name)]).toEqual([extended, name.startsWith('hugepages-')]);
});
