import type { Device, DeviceClass, DeviceSelector, ExactDeviceRequest, Node, ResourceClaim } from '@nodeagent/api';
import { errorMessage } from '@nodeagent/api';
import { consumedCapacity, fitsCapacity } from './capacity.js';
import type { DevicesInUse } from './devices-in-use.js';
import { type DevicePool, type PoolDevice, reachesDevice } from './pools.js';

/** Maximum number of devices in the allocation of a claim. */
export const maxResults = 32;

/** Whether a device meets an expression of CEL. Throws an Error with the prefix `CEL compile error: ` or `CEL runtime error: `. */
export type DeviceMatcher = (expression: string, device: Device, driver: string) => boolean;

/** One way to satisfy a request. */
export interface RequestOption {
  /** The name of the request, and, for an alternative, `request/alternative`. */
  names: readonly string[];
  request: Omit<ExactDeviceRequest, 'adminAccess'> & { adminAccess?: boolean };
  deviceClass: DeviceClass;
  /** Number of devices. */
  count: number;
  /** The devices of a request for all of them. */
  all?: PoolDevice[];
  accepts(candidate: PoolDevice): boolean;
}

/** What all claims of a pod are checked with. */
export interface RequestContext {
  node: Node;
  pools: readonly DevicePool[];
  classes: ReadonlyMap<string, DeviceClass>;
  inUse: DevicesInUse;
  matches: DeviceMatcher;
}

/** `namespace/name`. */
export const claimName = ({ metadata: { namespace, name } = {} }: ResourceClaim): string => `${namespace ? `${namespace}/` : ''}${name}`;

/** The options of each request of a claim, in order of preference. Throws an Error if the claim cannot be allocated on any node. */
export function requestOptions(claim: ResourceClaim, context: RequestContext): RequestOption[][] {
  const options = (claim.spec?.devices?.requests ?? []).map(({ name, exactly, firstAvailable = [] }) =>
    firstAvailable.length > 0
      ? firstAvailable.map((each) => optionOf(claim, [name, `${name}/${each.name}`], each.name, each, context))
      : [optionOf(claim, [name], name, exactly, context)],
  );
  const least = options.reduce((sum, each) => sum + Math.min(...each.map(({ count }) => count)), 0);
  if (least > maxResults) {
    throw new Error(`claim ${claimName(claim)}: number of requested devices ${least} exceeds the claim limit of ${maxResults}`);
  }
  return options;
}

function optionOf(
  claim: ResourceClaim,
  names: readonly string[],
  ownName: string,
  request: RequestOption['request'] | undefined,
  context: RequestContext,
): RequestOption {
  const where = `claim ${claimName(claim)}, request ${ownName}`;
  const index = request?.selectors?.findIndex(({ cel }) => !cel) ?? -1;
  if (index >= 0) throw new Error(`${where}, selector #${index}: CEL expression empty (unsupported selector type?)`);
  if (!request?.deviceClassName) throw new Error(`${where}: missing device class name (unsupported request type?)`);
  const deviceClass = context.classes.get(request.deviceClassName);
  if (!deviceClass) {
    const missing = `deviceclass.resource.k8s.io "${request.deviceClassName}" not found`;
    throw new Error(`${where}: could not retrieve device class ${request.deviceClassName}: ${missing}`);
  }
  const option = { names, request, deviceClass, count: request.count ?? 1, accepts: acceptor(claim, request, deviceClass, context) };
  const { allocationMode: mode = 'ExactCount' } = request;
  if (mode === 'ExactCount') return option;
  if (mode !== 'All') throw new Error(`${where}: unsupported count mode ${mode}`);
  const bad = context.pools.find(({ problem }) => problem);
  if (bad) {
    const state = bad.problem === 'invalid' ? 'invalid' : 'being updated';
    throw new Error(`${where}: asks for all devices, but resource pool ${bad.id} is currently ${state}`);
  }
  const hasRoom = ({ id, device }: PoolDevice) =>
    fitsCapacity(device, consumedCapacity(request.capacity, device) ?? new Map(), context.inUse.shared.get(id) ?? new Map());
  const all = context.pools.flatMap(({ devices }) => devices).filter((each) => option.accepts(each) && hasRoom(each));
  return { ...option, all, count: all.length };
}

/** Whether a device satisfies the selectors and the capacity of a request; each device is checked once. */
function acceptor(
  claim: ResourceClaim,
  { selectors = [], capacity }: RequestOption['request'],
  { metadata, spec }: DeviceClass,
  { node, matches }: RequestContext,
): RequestOption['accepts'] {
  const meets = (owner: string, all: readonly DeviceSelector[], { device, slice }: PoolDevice) =>
    all.every(({ cel }, index) => {
      try {
        return matches(cel?.expression ?? '', device, slice.spec?.driver ?? '');
      } catch (error) {
        throw new Error(`${owner}: selector #${index}: ${errorMessage(error)}`, { cause: error });
      }
    });
  const check = (candidate: PoolDevice) =>
    meets(`class ${metadata?.name}`, spec?.selectors ?? [], candidate) &&
    meets(`claim ${claimName(claim)}`, selectors, candidate) &&
    (!candidate.slice.spec?.perDeviceNodeSelection || reachesDevice(node, candidate.device)) &&
    consumedCapacity(capacity, candidate.device) !== undefined;
  const checked = new Map<string, boolean>();
  return (candidate) => {
    const known = checked.get(candidate.id) ?? check(candidate);
    checked.set(candidate.id, known);
    return known;
  };
}
