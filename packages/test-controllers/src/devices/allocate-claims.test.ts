import type { Device, DeviceClass, ExactDeviceRequest, Node, ResourceClaim, ResourceSlice, ResourceSliceSpec } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { createDeviceAllocator } from './allocate-claims.js';

const node: Node = { metadata: { name: 'n', labels: { zone: 'a' } } };
const zone = (name: string) => ({ nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: [name] }] }] });

const slice = (name: string, devices: (string | Device)[], more: Partial<ResourceSliceSpec> = {}): ResourceSlice => ({
  metadata: { name },
  spec: {
    driver: 'gpu',
    nodeName: 'n',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    devices: devices.map((each) => (typeof each === 'string' ? { name: each } : each)),
    ...more,
  },
});

type Request = Partial<ExactDeviceRequest> & { name?: string; firstAvailable?: object[] };

function claim(requests: Request[], more: object = {}, name = 'c'): ResourceClaim {
  const all = requests.map(({ name: own, firstAvailable, ...exactly }, index) => ({
    name: own ?? `r${index}`,
    ...(firstAvailable ? { firstAvailable } : { exactly: { deviceClassName: 'any', ...exactly } }),
  }));
  return { metadata: { namespace: 'ns', name }, spec: { devices: { requests: all, ...more } } } as ResourceClaim;
}

const anyClass: DeviceClass = { metadata: { name: 'any' } };

interface Given {
  slices?: ResourceSlice[];
  classes?: DeviceClass[];
  inUse?: ResourceClaim[];
}

/** The allocator, with selectors that name devices: `gpu-1|gpu-2`. */
function allocate(
  claims: ResourceClaim[],
  { slices = [slice('s', ['gpu-1', 'gpu-2', 'gpu-3'])], classes = [anyClass], inUse = [] }: Given = {},
) {
  const matches = (expression: string, { name }: Device) => expression.split('|').includes(name);
  return createDeviceAllocator({ slices, classes, claims: inUse, matches, newShareID: () => 'share' }).allocate(node, claims);
}

const resultsOf = (result: ReturnType<typeof allocate>) =>
  'problem' in result ? result.problem : result.allocations.map(({ devices }) => devices?.results ?? []);

/** The chosen devices as `request=device`, or the problem. */
function chosen(claims: ResourceClaim[], given?: Given): string {
  const results = resultsOf(allocate(claims, given));
  if (typeof results === 'string') return results;
  return results.map((each) => each.map(({ request, device }) => `${request}=${device}`).join(' ')).join(' / ');
}

const selects = (expression: string) => ({ selectors: [{ cel: { expression } }] });
const none = 'cannot allocate all claims';

/** A claim that uses a device. */
const user = (device: string, more: object = {}): ResourceClaim => ({
  status: { allocation: { devices: { results: [{ request: 'r', driver: 'gpu', pool: 'p', device, ...more }] } } },
});

describe('createDeviceAllocator', () => {
  it('takes the first free devices that the class and the request select', () => {
    const classes = [anyClass, { metadata: { name: 'few' }, spec: selects('gpu-2|gpu-3') }];
    const few = { deviceClassName: 'few' };
    expect(chosen([claim([{}])])).toBe('r0=gpu-1');
    expect(chosen([claim([few])], { classes })).toBe('r0=gpu-2');
    expect(chosen([claim([{ ...few, ...selects('gpu-1|gpu-3') }])], { classes })).toBe('r0=gpu-3');
    expect(chosen([claim([{ ...few, ...selects('gpu-1') }])], { classes })).toBe(none);
    expect(chosen([claim([{ count: 2 }]), claim([{}], {}, 'd')])).toBe('r0=gpu-1 r0=gpu-2 / r0=gpu-3');
    expect(chosen([claim([{}])], { inUse: [user('gpu-1'), user('gpu-2', { adminAccess: true })] })).toBe('r0=gpu-2');
    expect(chosen([claim([{ count: 3 }])], { inUse: [user('gpu-3')] })).toBe(none);
  });

  it('tries other devices if the first ones leave none for the next request', () => {
    expect(chosen([claim([{ count: 2 }, selects('gpu-1|gpu-2')])])).toBe('r0=gpu-1 r0=gpu-3 r1=gpu-2');
    expect(chosen([claim([{}]), claim([selects('gpu-1')], {}, 'd')])).toBe('r0=gpu-2 / r0=gpu-1');
  });

  it('gives all devices, or none of them', () => {
    const all = { allocationMode: 'All' };
    expect(chosen([claim([{ ...all, ...selects('gpu-1|gpu-3') }])])).toBe('r0=gpu-1 r0=gpu-3');
    expect(chosen([claim([all])], { inUse: [user('gpu-3')] })).toBe(none);
    expect(chosen([claim([all])], { slices: [] })).toBe(none);
  });

  it('prefers the first alternative of a request', () => {
    const option = (name: string, more: object) => ({ name, deviceClassName: 'any', ...more });
    const either = claim([{ firstAvailable: [option('two', { count: 2, ...selects('gpu-1|gpu-9') }), option('one', selects('gpu-2'))] }], {
      config: [
        { requests: ['r0/one'], opaque: { driver: 'gpu', parameters: 1 } },
        { requests: ['r0/two'], opaque: { driver: 'gpu', parameters: 2 } },
        { requests: ['r0'], opaque: { driver: 'gpu', parameters: 3 } },
      ],
    });
    const result = allocate([either]);
    expect(resultsOf(result)).toEqual([[{ request: 'r0/one', driver: 'gpu', pool: 'p', device: 'gpu-2' }]]);
    expect('allocations' in result && result.allocations[0]?.devices?.config?.map(({ opaque }) => opaque?.parameters)).toEqual([1, 3]);
  });

  it('lets administrators use devices in use', () => {
    const given = { slices: [slice('s', ['gpu-1'])], inUse: [user('gpu-1')] };
    expect(chosen([claim([{}])], given)).toBe(none);
    expect(resultsOf(allocate([claim([{ adminAccess: true }])], given))).toMatchObject([[{ device: 'gpu-1', adminAccess: true }]]);
    expect(chosen([claim([{ adminAccess: true }, { adminAccess: true }])], given)).toBe(none);
  });

  it('meets the constraints of a claim', () => {
    const device = (name: string, numa: number) => ({ name, attributes: { numa: { int: numa }, 'other/slot': { string: name } } });
    const slices = [slice('s', [device('gpu-1', 0), device('gpu-2', 1), device('gpu-3', 1), 'gpu-4'])];
    expect(chosen([claim([{ count: 2 }], { constraints: [{ matchAttribute: 'gpu/numa' }] })], { slices })).toBe('r0=gpu-2 r0=gpu-3');
    expect(chosen([claim([{ count: 2 }], { constraints: [{ distinctAttribute: 'gpu/numa' }] })], { slices })).toBe('r0=gpu-1 r0=gpu-2');
    expect(chosen([claim([{ count: 3 }], { constraints: [{ distinctAttribute: 'gpu/numa' }] })], { slices })).toBe(none);
    expect(chosen([claim([{ count: 2 }], { constraints: [{ matchAttribute: 'other/slot' }] })], { slices })).toBe(none);
    const first = [{ requests: ['r0'], matchAttribute: 'gpu/numa' }];
    expect(chosen([claim([{ count: 2 }, {}], { constraints: first })], { slices })).toBe('r0=gpu-2 r0=gpu-3 r1=gpu-1');
    expect(() => chosen([claim([{ allocationMode: 'All' }], { constraints: [{ matchAttribute: 'gpu/numa' }] })], { slices })).toThrow(
      'claim ns/c, request r0: cannot add device gpu/p/gpu-2 because a claim constraint would not be satisfied',
    );
  });

  it('avoids devices with taints that the request does not tolerate', () => {
    const taint = (name: string, effect: string) => ({ name, taints: [{ key: 'health', value: 'bad', effect }] });
    const slices = [slice('s', [taint('gpu-1', 'NoSchedule'), taint('gpu-2', 'NoExecute'), taint('gpu-3', 'None')])];
    const tolerations = [{ key: 'health', operator: 'Exists', effect: 'NoExecute' }];
    expect(chosen([claim([{}])], { slices })).toBe('r0=gpu-3');
    expect(resultsOf(allocate([claim([{ tolerations }])], { slices }))).toMatchObject([[{ device: 'gpu-2', tolerations }]]);
  });
});

describe('pools of devices', () => {
  const pool = (generation: number, resourceSliceCount: number) => ({ pool: { name: 'p', generation, resourceSliceCount } });

  it('have the devices that the node reaches, and limit the allocation to nodes that do', () => {
    const selector = (spec: Partial<ResourceSliceSpec>, device: Partial<Device> = {}) => {
      const { nodeName: _, ...rest } = slice('s', [{ name: 'gpu-1', ...device }], spec).spec as ResourceSliceSpec;
      const result = allocate([claim([{}])], { slices: [{ metadata: { name: 's' }, spec: { ...rest, ...spec } }] });
      return 'allocations' in result ? (result.allocations[0]?.nodeSelector?.nodeSelectorTerms?.[0] ?? 'everywhere') : result.problem;
    };
    const onlyHere = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] };
    expect(selector({ nodeName: 'n' })).toEqual(onlyHere);
    expect(selector({ nodeName: 'm' })).toBe(none);
    expect(selector({ allNodes: true })).toBe('everywhere');
    expect(selector({ allNodes: true }, { bindsToNode: true })).toEqual(onlyHere);
    expect(selector({ nodeSelector: zone('a') })).toEqual(zone('a').nodeSelectorTerms[0]);
    expect(selector({ nodeSelector: zone('b') })).toBe(none);
    expect(selector({ perDeviceNodeSelection: true }, { nodeName: 'n' })).toEqual(onlyHere);
    expect(selector({ perDeviceNodeSelection: true }, { nodeSelector: zone('b') })).toBe(none);
    expect(selector({})).toBe(none);
  });

  it('are used when all slices of their newest generation are there', () => {
    const old = slice('old', ['gpu-1'], pool(1, 1));
    const half = slice('half', ['gpu-2'], pool(2, 2));
    expect(chosen([claim([{}])], { slices: [old, half] })).toBe(none);
    expect(() => chosen([claim([{ allocationMode: 'All' }])], { slices: [old, half] })).toThrow(
      'claim ns/c, request r0: asks for all devices, but resource pool gpu/p is currently being updated',
    );
    expect(chosen([claim([{ count: 2 }])], { slices: [old, half, slice('rest', ['gpu-3'], pool(2, 2))] })).toBe('r0=gpu-2 r0=gpu-3');
    const elsewhere = slice('rest', ['gpu-3'], { ...pool(2, 2), nodeName: 'm' });
    expect(chosen([claim([{}])], { slices: [half, elsewhere] })).toBe('r0=gpu-2');
    expect(
      chosen([claim([{}])], { slices: [old, { ...elsewhere, spec: { ...elsewhere.spec, ...pool(2, 1) } as ResourceSliceSpec }] }),
    ).toBe('r0=gpu-1');
  });

  it('are not used if two devices have the same name', () => {
    const slices = [slice('a', ['gpu-1'], pool(1, 2)), slice('b', ['gpu-1'], pool(1, 2))];
    expect(chosen([claim([{}])], { slices })).toBe('invalid resource pools were encountered');
  });

  it('come in the order of their names, those that wait for conditions last', () => {
    const named = (name: string, device: Device) => slice(name, [device], { pool: { name, generation: 1, resourceSliceCount: 1 } });
    const slices = [named('c', { name: 'c' }), named('b', { name: 'b' }), named('a', { name: 'a', bindingConditions: ['Ready'] })];
    expect(chosen([claim([{ count: 3 }])], { slices })).toBe('r0=b r0=c r0=a');
  });

  it('share counters among their devices', () => {
    const counters = (amount: string) => [{ counterSet: 'memory', counters: { bytes: { value: amount } } }];
    const part = (name: string, amount: string) => ({ name, consumesCounters: counters(amount) });
    const slices = [
      slice('sets', [], { ...pool(1, 2), sharedCounters: [{ name: 'memory', counters: { bytes: { value: '8Gi' } } }] }),
      slice('parts', [part('half-1', '4Gi'), part('half-2', '4Gi'), part('whole', '8Gi')], pool(1, 2)),
    ];
    expect(chosen([claim([{ count: 2 }])], { slices })).toBe('r0=half-1 r0=half-2');
    expect(chosen([claim([{ count: 3 }])], { slices })).toBe(none);
    expect(chosen([claim([selects('half-1|whole')]), claim([selects('whole|half-2')], {}, 'd')], { slices })).toBe('r0=half-1 / r0=half-2');
    expect(chosen([claim([selects('whole')])], { slices, inUse: [user('half-1')] })).toBe(none);
    const unknown = [
      slices[0] as ResourceSlice,
      slice(
        'parts',
        [part('half-1', '4Gi')].map((each) => ({ ...each, consumesCounters: [{ counterSet: 'x' }] })),
        pool(1, 2),
      ),
    ];
    expect(chosen([claim([{}])], { slices: unknown })).toBe('invalid resource pools were encountered');
  });

  it('share the capacity of a device among claims', () => {
    const requestPolicy = { default: '1Gi', validRange: { min: '1Gi', step: '1Gi' } };
    const shared = { name: 'gpu-1', allowMultipleAllocations: true, capacity: { memory: { value: '4Gi', requestPolicy } } };
    const slices = [slice('s', [shared])];
    const wants = (memory: string) => ({ capacity: { requests: { memory } } });
    const amounts = (claims: ResourceClaim[], inUse: ResourceClaim[] = []) => {
      const results = resultsOf(allocate(claims, { slices, inUse }));
      return typeof results === 'string'
        ? results
        : results.flat().map(({ consumedCapacity, shareID }) => [consumedCapacity?.memory, shareID]);
    };
    expect(amounts([claim([wants('1500Mi')]), claim([{}], {}, 'd')])).toEqual([
      ['2Gi', 'share'],
      ['1Gi', 'share'],
    ]);
    expect(amounts([claim([wants('3Gi')])], [user('gpu-1', { shareID: 'x', consumedCapacity: { memory: '2Gi' } })])).toBe(none);
    expect(amounts([claim([{ capacity: { requests: { other: '1' } } }])])).toBe(none);
  });
});

it('rejects claims that no node can have', () => {
  const fails =
    (request: Request, more: object = {}) =>
    () =>
      chosen([claim([request], more)]);
  expect(fails({ deviceClassName: 'x' })).toThrow('could not retrieve device class x: deviceclass.resource.k8s.io "x" not found');
  expect(fails({ count: 33 })).toThrow('claim ns/c: number of requested devices 33 exceeds the claim limit of 32');
  expect(fails({ allocationMode: 'Some' })).toThrow('claim ns/c, request r0: unsupported count mode Some');
  expect(fails({}, { constraints: [{}] })).toThrow('claim ns/c, constraint #0: empty constraint');
});
