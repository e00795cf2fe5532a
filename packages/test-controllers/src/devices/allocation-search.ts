import type { ResourceClaim } from '@nodeagent/api';
import { toleratesAny } from '@nodeagent/api/helpers';
import { type Amounts, addAmounts, consumedCapacity, fitsCapacity } from './capacity.js';
import { claimName, maxResults, type RequestOption } from './claim-requests.js';
import { applyConstraints, type ConstraintState } from './constraints.js';
import { type Counters, consume, release } from './counters.js';
import type { DevicesInUse } from './devices-in-use.js';
import type { DevicePool, PoolDevice } from './pools.js';

/** A device chosen for a request. */
export interface ChosenDevice extends PoolDevice {
  option: RequestOption;
  /** What it takes of a device that claims share. */
  consumed?: Amounts;
}

/** The devices of a claim, and the option of each of its requests. */
export interface ChosenDevices {
  claim: ResourceClaim;
  devices: ChosenDevice[];
  options: RequestOption[];
}

export interface SearchInput {
  requests: readonly { claim: ResourceClaim; options: RequestOption[][] }[];
  pools: readonly DevicePool[];
  inUse: DevicesInUse;
  freeCounters(pool: DevicePool): Counters;
}

/** `tooMany`: a claim would have more devices than an allocation can list, so other devices do not help. */
type Outcome = 'done' | 'failed' | 'tooMany';

/** The position of a request. */
interface At {
  claim: number;
  request: number;
}

const noAmounts: Amounts = new Map();

/** Tries the devices of all requests, one after the other, until all fit together. */
export class AllocationSearch {
  readonly chosen: ChosenDevices[];
  readonly #input: SearchInput;
  /** The devices of complete pools. */
  readonly #devices: PoolDevice[];
  readonly #constraints: ConstraintState[][];
  readonly #counters = new Map<DevicePool, Counters>();
  /** The claims, by index, that a device is chosen for. */
  readonly #taken = new Map<string, Set<number>>();
  readonly #consumed = new Map<string, Amounts>();

  constructor(input: SearchInput) {
    this.#input = input;
    this.#devices = input.pools.flatMap(({ devices }) => devices);
    this.chosen = input.requests.map(({ claim, options }) => ({
      claim,
      devices: [],
      options: options.map((each) => each[0] as RequestOption),
    }));
    this.#constraints = input.requests.map(({ claim }) =>
      (claim.spec?.devices?.constraints ?? []).map((constraint) => ({ constraint, values: [] })),
    );
  }

  /** Whether all devices were found; they are in `chosen`. Throws if a constraint excludes a device of a request for all of them. */
  run(): boolean {
    return this.#searchClaim(0) === 'done';
  }

  #searchClaim(claim: number): Outcome {
    return claim < this.#input.requests.length ? this.#searchRequest({ claim, request: 0 }) : 'done';
  }

  #searchRequest(at: At): Outcome {
    const { options } = this.#input.requests[at.claim] as SearchInput['requests'][number];
    const alternatives = options[at.request];
    if (!alternatives) return this.#searchClaim(at.claim + 1) === 'done' ? 'done' : 'failed';
    let outcome: Outcome = 'tooMany';
    for (const option of alternatives) {
      const found = this.#searchDevice(at, option, 0, 0);
      if (found === 'done') {
        (this.chosen[at.claim] as ChosenDevices).options[at.request] = option;
        return found;
      }
      if (found === 'failed') outcome = found;
    }
    return outcome;
  }

  /** Chooses the device with this number among those of a request, from `start` on, then the others. */
  #searchDevice(at: At, option: RequestOption, number: number, start: number): Outcome {
    const { all, count } = option;
    if (all?.length === 0) return 'failed';
    if (number >= count) return this.#searchRequest({ ...at, request: at.request + 1 });
    const { devices } = this.chosen[at.claim] as ChosenDevices;
    if (devices.length + count - number > maxResults) return 'tooMany';
    const candidates = all ? [all[number] as PoolDevice] : this.#devices;
    for (let index = all ? 0 : start; index < candidates.length; index++) {
      const candidate = candidates[index] as PoolDevice;
      const undo = this.#isFree(candidate, at, option) && option.accepts(candidate) && this.#take(candidate, at, option);
      if (!undo) continue;
      const found = this.#searchDevice(at, option, number + 1, index + 1);
      if (found === 'done') return found;
      undo();
      if (found === 'tooMany') return found;
    }
    return 'failed';
  }

  #isFree({ id, device }: PoolDevice, { claim }: At, { request }: RequestOption): boolean {
    const taken = this.#taken.get(id);
    if (request.adminAccess) return device.allowMultipleAllocations === true || !taken?.has(claim);
    return !this.#input.inUse.exclusive.has(id) && !taken?.size;
  }

  /** Marks a device as chosen. Returns a function that undoes it, or undefined if it cannot be chosen. */
  #take(candidate: PoolDevice, at: At, option: RequestOption): (() => void) | undefined {
    const { id, device, pool, slice } = candidate;
    const isShared = device.allowMultipleAllocations === true;
    const before = this.#consumed.get(id);
    const inUse = addAmounts(this.#input.inUse.shared.get(id) ?? noAmounts, before ?? noAmounts);
    const amounts = consumedCapacity(option.request.capacity, device) ?? noAmounts;
    if (!fitsCapacity(device, amounts, inUse) || hasUntoleratedTaint(candidate, option)) return undefined;
    const names = option.names;
    const undoConstraints = applyConstraints(this.#constraints[at.claim] ?? [], { names, driver: slice.spec?.driver ?? '', device });
    if (!undoConstraints) {
      if (option.all) throw new Error(impossible(this.#input.requests[at.claim]?.claim ?? {}, option, id));
      return undefined;
    }
    // The first share of a device consumes its counters.
    const counts = !(isShared && (this.#input.inUse.shared.has(id) || before !== undefined)) && device.consumesCounters !== undefined;
    if (counts && !consume(this.#countersOf(pool), device)) {
      undoConstraints();
      return undefined;
    }
    if (isShared) this.#consumed.set(id, addAmounts(before ?? noAmounts, amounts));
    else this.#taken.set(id, new Set(this.#taken.get(id)).add(at.claim));
    const { devices } = this.chosen[at.claim] as ChosenDevices;
    devices.push({ ...candidate, option, ...(isShared && { consumed: amounts }) });
    return () => {
      devices.pop();
      undoConstraints();
      if (counts) release(this.#countersOf(pool), device);
      if (!isShared) this.#taken.get(id)?.delete(at.claim);
      else if (before) this.#consumed.set(id, before);
      else this.#consumed.delete(id);
    };
  }

  #countersOf(pool: DevicePool): Counters {
    const known = this.#counters.get(pool) ?? new Map(this.#input.freeCounters(pool));
    this.#counters.set(pool, known);
    return known;
  }
}

function hasUntoleratedTaint({ device: { taints = [] } }: PoolDevice, { request }: RequestOption): boolean {
  return taints.some(({ effect, ...taint }) => {
    const prevents = effect === 'NoSchedule' || effect === 'NoExecute';
    return prevents && !toleratesAny(request.tolerations, { ...taint, effect });
  });
}

function impossible(claim: ResourceClaim, { names }: RequestOption, id: string): string {
  const request = names.at(-1)?.split('/').at(-1);
  return `claim ${claimName(claim)}, request ${request}: cannot add device ${id} because a claim constraint would not be satisfied`;
}
