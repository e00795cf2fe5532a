import { expect, it } from 'vitest';
import { subordinateIds } from './subordinate-ids.js';

it('returns the id range of the user kubelet, if it has one', () => {
  const text = 'root:100000:65536\nkubelet:65536:7208960\nkubelet2:1:2\n';
  expect(subordinateIds(text, text)).toEqual({ first: 65_536, count: 7_208_960 });
  expect(subordinateIds('root:100000:65536', '')).toBeUndefined();
});

it.each([
  ['kubelet:65536:65536', ''],
  ['kubelet:65536:65536', 'kubelet:65536:131072'],
  ['kubelet:65536:65536', 'kubelet:131072:65536'],
  ['kubelet:65536:65536\nkubelet:131072:65536', 'kubelet:65536:65536'],
  ['kubelet:1000:65536', 'kubelet:1000:65536'],
  ['kubelet:65536:65535', 'kubelet:65536:65535'],
  ['kubelet:4294901760:65537', 'kubelet:4294901760:65537'],
])('rejects %j with %j', (subuid, subgid) => {
  expect(() => subordinateIds(subuid, subgid)).toThrow(expect.objectContaining({ code: 'UserNamespaceError' }));
});
