import {
  type Clock,
  type Container,
  createRunLoop,
  errorMessage,
  invalidOption,
  type Logger,
  NodeAgentError,
  noMetrics,
  onAbort,
  type Pod,
  type ResourceStatus,
  type Startable,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { type ClaimCache, createClaimCache } from './claim-cache.js';
import { type ClaimInfo, cdiDeviceIds, claimKey, type PreparedDevice } from './claim-info.js';
import { type ClaimOperations, createClaimOperations } from './claim-operations.js';
import { containerHealth, podsWithDevices } from './container-health.js';
import type { DeviceHealth, DeviceHealthStatus } from './device-health.js';
import { createDriverCall } from './driver-calls.js';
import { grpcDraDriver } from './driver-connection.js';
import { createDrivers, type DraRegistration, type Drivers } from './drivers.js';
import { type ClaimDevices, dynamicResourceOf } from './dynamic-resources.js';
import { draManagerErrorCodes } from './errors.js';
import { createHealthCache, type HealthCache } from './health-cache.js';
import { createDraMetrics } from './metrics.js';
import type { DraManagerOptions } from './options.js';
import { containerClaimRequests } from './pod-claims.js';
import { createSliceCleanup, type SliceCleanup } from './slice-cleanup.js';
import { watchHealth } from './watch-health.js';

/** A claim with the health of its devices, which is `Unknown` without a report of the driver. */
export interface ExplainedClaim extends Omit<ClaimInfo, 'podUIDs' | 'drivers'> {
  podUIDs: string[];
  isPrepared: boolean;
  drivers: Record<string, (PreparedDevice & { health: DeviceHealthStatus; message: string })[]>;
}

/** Drivers, claims and pending deletions. Plain JSON. */
export interface DraExplanation {
  drivers: { driver: string; endpoint: string; service: string; isConnected: boolean }[];
  claims: ExplainedClaim[];
  /** Drivers whose ResourceSlices will be deleted, in milliseconds from now; 0 while the deletion runs. */
  pendingDeletions: { driver: string; inMs: number }[];
}

/** Prepares the ResourceClaims of pods with the DRA drivers of a node. */
export interface DraManager extends Startable {
  /**
   * Reads the checkpoint, deletes the ResourceSlices of the node in the background, and from then on unprepares the claims of inactive pods
   * each minute. Rejects with `InvalidCheckpoint` for a corrupt checkpoint, which it renames; the next start continues without it.
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Handler of plugins of type `DRAPlugin` for `@nodeagent/plugin-manager`. */
  readonly registration: DraRegistration;
  /** Prepares the claims of a pod before its containers start. Idempotent. Rejects with `DraPrepareFailed`. */
  prepareResources(pod: Pod, signal?: AbortSignal): Promise<void>;
  /** Unprepares the claims that no other pod uses, after the containers have terminated. Idempotent. Rejects with `DraUnprepareFailed`. */
  unprepareResources(pod: Pod, signal?: AbortSignal): Promise<void>;
  /** Whether a claim refers to the pod. */
  hasPreparedResources(podUID: string): boolean;
  /** The CDI ids of the devices of a container. Throws `DraClaimNotPrepared`. */
  getCdiDevices(pod: Pod, container: Container): string[];
  /** The devices of a container by claim, for the pod-resources API. Leaves out claims that are not prepared. */
  getDynamicResources(pod: Pod, container: Container): ClaimDevices[];
  /** The health of the devices of the pod's containers by container, for `allocatedResourcesStatus`; without containers that have no claim. */
  resourceHealth(pod: Pod): Record<string, ResourceStatus[]>;
  explain(): DraExplanation;
}

const reconcilePeriodMs = 60_000;

/** `dra_health_state` beside the checkpoint of claims, as a kubelet has it. */
const healthFile = (stateFile: string) => `${stateFile.slice(0, stateFile.lastIndexOf('/') + 1)}dra_health_state`;

/** Creates a {@link DraManager}. Throws `InvalidOption`. */
export function createDraManager(options: DraManagerOptions): DraManager {
  const { stateFile, nodeName, claims, activePods } = options;
  if (typeof stateFile !== 'string' || stateFile === '') throw invalidOption('stateFile', 'a path', stateFile);
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'a name', nodeName);
  if (typeof activePods !== 'function') throw invalidOption('activePods', 'a function', activePods);
  if (typeof claims?.get !== 'function') throw invalidOption('claims', 'a getter of ResourceClaims', claims);
  return new Manager(options);
}

class Manager implements DraManager {
  readonly #options: DraManagerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics;
  readonly #cache: ClaimCache;
  readonly #cleanup: SliceCleanup | undefined;
  readonly #health: HealthCache;
  readonly #drivers: Drivers;
  readonly #operations: ClaimOperations;
  readonly #loop = createRunLoop((signal) => this.#run(signal));
  #loading: Promise<void> | undefined;
  #stopped = new AbortController();

  constructor(options: DraManagerOptions) {
    const { stateFile, nodeName, claims, resourceSlices: slices } = options;
    const { connect = grpcDraDriver, clock = systemClock, random = Math.random, logger = silentLogger } = options;
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#metrics = createDraMetrics(options.metrics ?? noMetrics);
    this.#cache = createClaimCache(stateFile);
    this.#cleanup = slices && createSliceCleanup({ nodeName, slices, clock, random, logger });
    const changed = (driver: string, isConnected: boolean) =>
      isConnected ? this.#cleanup?.cancel(driver) : this.#cleanup?.schedule(driver);
    this.#health = createHealthCache(healthFile(stateFile), { clock, logger });
    this.#drivers = createDrivers({
      ...{ connect, clock, logger, changed },
      watchHealth: (instance, signal) =>
        watchHealth(instance, { cache: this.#health, clock, logger, changed: this.#healthChanged }, signal),
    });
    const call = createDriverCall(clock, this.#metrics);
    this.#operations = createClaimOperations({ cache: this.#cache, claims, drivers: this.#drivers, call });
  }

  get registration(): DraRegistration {
    return this.#drivers.registration;
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    this.#loading ??= Promise.all([this.#cache.load(), this.#health.load()]).then(() => this.#cleanup?.deleteAll());
    await this.#loading.catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    onAbort(signal, () => void this.stop(), this.#stopped.signal);
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#loading = undefined;
    this.#stopped.abort();
    this.#stopped = new AbortController();
    await Promise.all([this.#loop.stop(), this.#drivers.stop(), this.#cleanup?.stop()]);
    await Promise.all([this.#cache.settled(), this.#health.settled()]);
  }

  prepareResources(pod: Pod, signal?: AbortSignal): Promise<void> {
    return this.#measured('PrepareResources', () => this.#operations.prepare(pod, signal));
  }

  unprepareResources(pod: Pod, signal?: AbortSignal): Promise<void> {
    return this.#unprepare(podUid(pod), signal);
  }

  hasPreparedResources(podUID: string): boolean {
    return this.#cache.ofPod(podUID).length > 0;
  }

  getCdiDevices(pod: Pod, container: Container): string[] {
    const ids = Array.from(containerClaimRequests(pod, container), ([claimName, requests]) => {
      const info = this.#cache.get(claimKey(pod.metadata?.namespace, claimName));
      if (info !== undefined) return cdiDeviceIds(info, requests);
      const message = `ResourceClaim ${claimName} in namespace ${pod.metadata?.namespace} is not prepared`;
      throw new NodeAgentError(draManagerErrorCodes.claimNotPrepared, message, { retryable: true });
    });
    return [...new Set(ids.flat())];
  }

  getDynamicResources(pod: Pod, container: Container): ClaimDevices[] {
    return Array.from(containerClaimRequests(pod, container)).flatMap(([claimName, requests]) => {
      const info = this.#cache.get(claimKey(pod.metadata?.namespace, claimName));
      return info === undefined ? [] : [dynamicResourceOf(info, requests)];
    });
  }

  resourceHealth(pod: Pod): Record<string, ResourceStatus[]> {
    const claimOf = (name: string) => this.#cache.get(claimKey(pod.metadata?.namespace, name));
    const entries = (pod.spec?.containers ?? []).map((container): [string, ResourceStatus[]] => [
      container.name,
      containerHealth(pod, container, claimOf, this.#health.of),
    ]);
    return Object.fromEntries(entries.filter(([, health]) => health.length > 0));
  }

  explain(): DraExplanation {
    const now = this.#clock.monotonic();
    return {
      drivers: this.#drivers.instances().map(({ driver, endpoint, service, isConnected }) => ({ driver, endpoint, service, isConnected })),
      claims: this.#cache.all().map((info) => this.#explainClaim(info)),
      pendingDeletions: (this.#cleanup?.pending() ?? []).map(([driver, at]) => ({ driver, inMs: Math.max(at - now, 0) })),
    };
  }

  #explainClaim(info: ClaimInfo): ExplainedClaim {
    const drivers = Object.entries(info.drivers).map(([driver, devices]) => [
      driver,
      devices.map((device) => ({ ...device, ...this.#health.of(driver, device.poolName, device.deviceName) })),
    ]);
    return { ...info, podUIDs: [...info.podUIDs], isPrepared: this.#cache.isPrepared(info), drivers: Object.fromEntries(drivers) };
  }

  readonly #healthChanged = (driver: string, changed: readonly DeviceHealth[]): void => {
    const podUIDs = podsWithDevices(this.#cache.all(), driver, changed);
    if (podUIDs.length > 0) this.#options.healthChanged?.(podUIDs);
  };

  /** Measures an operation on the claims of a pod, and completes its error. */
  async #measured(operation: 'PrepareResources' | 'UnprepareResources', run: () => Promise<void>): Promise<void> {
    const startedAt = this.#clock.monotonic();
    const observe = (isError: boolean) => {
      const labels = { operation_name: operation, is_error: String(isError) };
      this.#metrics.operationSeconds.observe((this.#clock.monotonic() - startedAt) / 1000, labels);
    };
    try {
      await run();
      observe(false);
    } catch (cause) {
      observe(true);
      const [code, verb] =
        operation === 'PrepareResources'
          ? [draManagerErrorCodes.prepareFailed, 'prepare']
          : [draManagerErrorCodes.unprepareFailed, 'unprepare'];
      throw new NodeAgentError(code, `${verb} dynamic resources: ${errorMessage(cause)}`, { retryable: true, cause });
    }
  }

  #unprepare(podUID: string, signal?: AbortSignal): Promise<void> {
    return this.#measured('UnprepareResources', () => this.#operations.unprepare(podUID, signal));
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#reconcile(signal);
      await this.#clock.sleep(reconcilePeriodMs, signal).catch(() => {});
    }
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    const { activePods, sourcesReady = () => true, couldHaveRunningContainers = () => false } = this.#options;
    if (!sourcesReady()) return;
    const active = new Set(activePods().map(podUid));
    const isInactive = (podUID: string) => !active.has(podUID) && !couldHaveRunningContainers(podUID);
    const inactive = new Set(this.#cache.all().flatMap(({ podUIDs }) => [...podUIDs].filter(isInactive)));
    const unprepareOrLog = (podUID: string) =>
      this.#unprepare(podUID, signal).catch((error) => {
        if (signal.aborted) return;
        this.#logger.warn({ podUID, err: error }, 'cannot unprepare claims of an inactive pod; the next round retries');
      });
    await Promise.all([...inactive].map(unprepareOrLog));
  }
}
