import type { Logger } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import type { ControllerObjects, Place, StoredChange } from '../controller-objects.js';
import type { DevicePorts } from '../scheduler/plugins/dynamic-resources.js';
import type { DeviceMatcher } from './claim-requests.js';
import { claimStorage } from './resource-claim-controller.js';

type AllocatorModule = typeof import('./allocate-claims.js');

interface Loaded {
  createDeviceAllocator: AllocatorModule['createDeviceAllocator'];
  matches: DeviceMatcher;
}

/** How the scheduler allocates devices. */
export interface DeviceAllocation {
  /** Loads the evaluator of CEL selectors. Called when the first claim appears. */
  loadMatcher(): Promise<DeviceMatcher>;
  /** Returns a new UUID for a share of a device. */
  newShareID(): string;
}

/** Loads the allocator of devices, and the evaluator of selectors, when the first claim appears. */
export class DeviceModules implements Controller {
  readonly #objects: ControllerObjects;
  readonly #logger: Logger;
  readonly #devices: DeviceAllocation;
  #loading = false;
  #loaded: Loaded | undefined;

  constructor({ objects, logger, devices }: { objects: ControllerObjects; logger: Logger; devices: DeviceAllocation }) {
    this.#objects = objects;
    this.#logger = logger;
    this.#devices = devices;
  }

  affected({ storage }: StoredChange): Place[] {
    if (storage === claimStorage && !this.#loading) this.#load();
    return [];
  }

  reconcile(): void {}

  readonly allocator: DevicePorts['allocator'] = (input) =>
    this.#loaded?.createDeviceAllocator({ ...input, matches: this.#loaded.matches, newShareID: () => this.#devices.newShareID() });

  #load(): void {
    this.#loading = true;
    const load = async () => {
      const [{ createDeviceAllocator }, matches] = await Promise.all([import('./allocate-claims.js'), this.#devices.loadMatcher()]);
      this.#loaded = { createDeviceAllocator, matches };
    };
    const loading = this.#objects.load ? this.#objects.load(load) : load();
    loading.catch((error: unknown) => this.#logger.error({ err: error }, 'cannot load the allocator of devices'));
  }
}
