import type { NodeStatus } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { nodeStatusChanged } from './semantic-equal.js';

const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: 'T0', lastTransitionTime: 'T0', reason: 'r', message: 'm' };
const disk = { ...ready, type: 'DiskPressure' };

it.each<[string, NodeStatus | undefined, NodeStatus | undefined, boolean]>([
  ['nothing', undefined, undefined, false],
  ['a heartbeat', { conditions: [ready] }, { conditions: [{ ...ready, lastHeartbeatTime: 'T1' }] }, false],
  ['the order of conditions', { conditions: [ready, disk] }, { conditions: [disk, ready] }, false],
  ['a transition', { conditions: [ready] }, { conditions: [{ ...ready, lastTransitionTime: 'T1' }] }, true],
  ['a message', { conditions: [ready] }, { conditions: [{ ...ready, message: 'other' }] }, true],
  ['a new condition', { conditions: [ready] }, { conditions: [ready, disk] }, true],
  ['the notation of an amount', { capacity: { cpu: '1', memory: '1Gi' } }, { capacity: { cpu: '1000m', memory: '1024Mi' } }, false],
  ['an amount', { allocatable: { cpu: '1' } }, { allocatable: { cpu: '2' } }, true],
  ['a resource of which there is none', { capacity: {} }, { capacity: { gpu: '0' } }, true],
  ['empty and absent lists', { images: [], volumesInUse: [] }, {}, false],
  ['an empty and an absent text', { phase: '' }, {}, false],
  ['an endpoint', {}, { daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } } }, true],
  ['an endpoint without port', {}, { daemonEndpoints: { kubeletEndpoint: { Port: 0 } } }, false],
  ['the order of images', { images: [{ names: ['a'] }, { names: ['b'] }] }, { images: [{ names: ['b'] }, { names: ['a'] }] }, true],
  ['a feature', { features: { supplementalGroupsPolicy: false } }, { features: { supplementalGroupsPolicy: true } }, true],
  ['an address', { addresses: [{ type: 'Hostname', address: 'a' }] }, { addresses: [] }, true],
])('of %s', (_what, before, after, changed) => {
  expect(nodeStatusChanged(before, after)).toBe(changed);
  expect(nodeStatusChanged(after, before)).toBe(changed);
});
