import type { Container, Pod, ResourceClaim } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { decodeDraCheckpoint, encodeDraCheckpoint } from './checkpoint.js';
import { checkClaim } from './claim-checks.js';
import { type ClaimInfo, cdiDeviceIds, claimInfoOf, claimsByDriver, satisfiesRequest } from './claim-info.js';
import { checkDriverResults } from './driver-results.js';
import { chooseDraService } from './drivers.js';
import { dynamicResourceOf } from './dynamic-resources.js';
import { containerClaimRequests, podClaims } from './pod-claims.js';

const metadata = { name: 'train', namespace: 'default', uid: 'u1' };
const device = (deviceName: string, requestNames: string[]) => ({
  poolName: 'pool',
  deviceName,
  requestNames,
  cdiDeviceIDs: [`example.com/gpu=${deviceName}`, 'example.com/driver=all'],
});
const info: ClaimInfo = {
  claimUID: 'c1',
  claimName: 'gpu',
  namespace: 'default',
  podUIDs: new Set(['u1']),
  drivers: { 'gpu.example.com': [device('a', ['first']), device('b', ['second/big']), { ...device('c', []), shareID: 's1' }] },
};

describe('podClaims', () => {
  it('resolves names, generated claims, and claims that need no ResourceClaim', () => {
    const pod: Pod = {
      metadata,
      spec: {
        containers: [],
        resourceClaims: [
          { name: 'own', resourceClaimName: 'shared' },
          { name: 'made', resourceClaimTemplateName: 't' },
          { name: 'none', resourceClaimTemplateName: 't' },
        ],
      },
      status: { resourceClaimStatuses: [{ name: 'made', resourceClaimName: 'train-made-x' }, { name: 'none' }] },
    };
    expect(podClaims(pod)).toEqual([
      { name: 'own', claimName: 'shared', mustBeOwner: false },
      { name: 'made', claimName: 'train-made-x', mustBeOwner: true },
    ]);
  });

  it('fails while a claim is not created', () => {
    const pod: Pod = { metadata, spec: { containers: [], resourceClaims: [{ name: 'made', resourceClaimTemplateName: 't' }] } };
    expect(() => podClaims(pod)).toThrow('pod default/train: ResourceClaim of claim made is not created yet');
  });
});

describe('containerClaimRequests', () => {
  const claims = [{ name: 'gpu', resourceClaimName: 'c1' }];
  it('lists the requests of a container, and those of its extended resources', () => {
    const container: Container = {
      name: 'main',
      image: 'i',
      resources: { claims: [{ name: 'gpu', request: 'first' }, { name: 'gpu' }], requests: { 'example.com/gpu': '1' } },
    };
    const requestMappings = [
      { containerName: 'main', resourceName: 'example.com/gpu', requestName: 'container-0-request-0' },
      { containerName: 'other', resourceName: 'example.com/gpu', requestName: 'container-1-request-0' },
    ];
    const pod: Pod = {
      metadata,
      spec: { containers: [container], resourceClaims: claims },
      status: { extendedResourceClaimStatus: { resourceClaimName: 'extended', requestMappings } },
    };
    expect([...containerClaimRequests(pod, container)]).toEqual([
      ['c1', ['first', '']],
      ['extended', ['container-0-request-0']],
    ]);
    expect(containerClaimRequests(pod, { name: 'plain', image: 'i' }).size).toBe(0);
  });
});

describe('checkClaim', () => {
  const pod: Pod = { metadata, spec: { containers: [] } };
  const claim = (changes: object): ResourceClaim => ({
    metadata: { name: 'gpu', namespace: 'default', uid: 'c1', ownerReferences: [] },
    status: { reservedFor: [{ resource: 'pods', name: 'train', uid: 'u1' }] },
    ...changes,
  });

  it('accepts a claim that is reserved for the pod', () => {
    expect(() => checkClaim(pod, claim({}), false)).not.toThrow();
  });

  it('rejects a claim that is reserved for a pod of the same name', () => {
    const other = claim({ status: { reservedFor: [{ resource: 'pods', name: 'train', uid: 'u0' }] } });
    expect(() => checkClaim(pod, other, false)).toThrow(
      'ResourceClaim default/gpu (UID c1) is not reserved for pod default/train (UID u1)',
    );
  });

  it('rejects a generated claim of another pod', () => {
    expect(() => checkClaim(pod, claim({}), true)).toThrow('ResourceClaim default/gpu was not created for pod default/train');
  });
});

describe('the devices of a claim', () => {
  it('satisfy the request that they name, also by a subrequest, or all requests', () => {
    const [devices = []] = Object.values(info.drivers);
    expect(devices.map((each) => satisfiesRequest(each, 'second'))).toEqual([false, true, true]);
    expect(devices.every((each) => satisfiesRequest(each, ''))).toBe(true);
  });

  it('are listed by CDI id without duplicates', () => {
    expect(cdiDeviceIds(info, ['first', 'first'])).toEqual(['example.com/gpu=a', 'example.com/driver=all', 'example.com/gpu=c']);
  });

  it('are listed for the pod-resources API', () => {
    const { claimResources } = dynamicResourceOf(info, ['nothing']);
    expect(claimResources).toEqual([
      {
        cdiDevices: [{ name: 'example.com/gpu=c' }, { name: 'example.com/driver=all' }],
        driverName: 'gpu.example.com',
        poolName: 'pool',
        deviceName: 'c',
        shareId: 's1',
      },
    ]);
  });

  it('are requested with one call per driver', () => {
    const results = [{ driver: 'a' }, { driver: 'b' }, { driver: 'a' }].map((each) => ({ request: 'r', pool: 'p', device: 'd', ...each }));
    const claims = ['1', '2'].map((name) =>
      claimInfoOf({ metadata: { name, namespace: 'n', uid: name }, status: { allocation: { devices: { results } } } }),
    );
    const both = ['1', '2'].map((name) => ({ namespace: 'n', uid: name, name }));
    expect([...claimsByDriver(claims)]).toEqual([
      ['a', both],
      ['b', both],
    ]);
    expect(() => claimInfoOf({ metadata: { name: '3' } })).toThrow('ResourceClaim 3 is not allocated');
  });
});

describe('checkDriverResults', () => {
  const claims = [{ namespace: 'n', uid: 'c1', name: 'gpu' }];
  it.each([
    [new Map(), 'NodePrepareResources skipped 1 ResourceClaims'],
    [new Map([['c2', { error: '', devices: [] }]]), 'NodePrepareResources returned a result for unknown claim UID c2'],
    [new Map([['c1', { error: 'broken', devices: [] }]]), 'NodePrepareResources failed for ResourceClaim gpu: broken'],
  ])('rejects %s', (results, message) => {
    expect(() => checkDriverResults('NodePrepareResources', claims, results)).toThrow(message);
  });
});

describe('chooseDraService', () => {
  it('prefers v1', () => {
    expect(chooseDraService('d', '/s', ['v1beta1.DRAPlugin', 'v1.DRAPlugin'])).toBe('v1.DRAPlugin');
    expect(chooseDraService('d', '/s', ['v1beta1.DRAPlugin'])).toBe('v1beta1.DRAPlugin');
  });

  it('rejects a driver without a known service', () => {
    expect(() => chooseDraService('d', '/s', ['v1alpha4.Node'])).toThrow(
      'DRA driver d at /s supports [v1alpha4.Node], but none of [v1.DRAPlugin v1beta1.DRAPlugin]',
    );
  });
});

describe('the checkpoint', () => {
  it('is decoded as it was encoded', () => {
    expect(decodeDraCheckpoint(encodeDraCheckpoint([info]))).toEqual([info]);
  });

  it('keeps drivers that have not prepared their devices', () => {
    const unprepared = { ...info, drivers: { 'gpu.example.com': [] } };
    expect(decodeDraCheckpoint(encodeDraCheckpoint([unprepared]))).toEqual([unprepared]);
  });

  it.each([
    ['a wrong checksum', '{"Data":"{}","Checksum":1}', 'checkpoint is corrupted: the checksum does not match'],
    ['other data', '{"Data":{},"Checksum":1}', '"Data" is not a string'],
  ])('is rejected with %s', (_, text, message) => {
    expect(() => decodeDraCheckpoint(text)).toThrow(message);
  });
});
