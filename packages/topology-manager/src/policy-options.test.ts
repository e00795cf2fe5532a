import { expect, it } from 'vitest';
import { parsePolicyOptions } from './policy-options.js';

it('parses the options of a KubeletConfiguration, with the kubelet’s text for an unknown one', () => {
  expect(parsePolicyOptions({ 'prefer-closest-numa-nodes': 'true', 'max-allowable-numa-nodes': '16' })).toEqual({
    preferClosestNumaNodes: true,
    maxAllowableNumaNodes: 16,
  });
  expect(() => parsePolicyOptions({ fast: 'true' })).toThrow('unknown Topology Manager Policy option: "fast"');
});
