import {
  type Container,
  checkOptionNames,
  createRunLoop,
  errorMessage,
  invalidOption,
  NodeAgentError,
  noMetrics,
  onAbort,
  type Pod,
  podUid,
  type Startable,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { createClaimCache } from './claim-cache.js';
import { type ClaimInfo, cdiDeviceIds, claimKey } from './claim-info.js';
import { createClaimOperations } from './claim-operations.js';
import { createDriverCall } from './driver-calls.js';
import { grpcDraDriver } from './driver-connection.js';
import { createDrivers, type DraRegistration } from './drivers.js';
import { type ClaimDevices, dynamicResourceOf } from './dynamic-resources.js';
import { draManagerErrorCodes } from './errors.js';
import { createDraMetrics } from './metrics.js';
import { type DraManagerOptions, optionNames } from './options.js';
import { containerClaimRequests } from './pod-claims.js';
import { createSliceCleanup } from './slice-cleanup.js';

/** Drivers, claims and pending deletions. Plain JSON. */
export interface DraExplanation {
  drivers: { driver: string; endpoint: string; service: string; isConnected: boolean }[];
  claims: (Omit<ClaimInfo, 'podUIDs'> & { podUIDs: string[]; isPrepared: boolean })[];
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
  explain(): DraExplanation;
}

const reconcilePeriodMs = 60_000;

/** Creates a {@link DraManager}. Throws `InvalidOption`. */
export function createDraManager(options: DraManagerOptions): DraManager {
  checkOptionNames('createDraManager', options, optionNames);
  const { stateFile, nodeName, claims, activePods, resourceSlices, sourcesReady = () => true } = options;
  const { couldHaveRunningContainers = () => false } = options;
  const { connect = grpcDraDriver, clock = systemClock, random = Math.random, logger = silentLogger } = options;
  if (typeof stateFile !== 'string' || stateFile === '') throw invalidOption('stateFile', 'a path', stateFile);
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'a name', nodeName);
  if (typeof activePods !== 'function') throw invalidOption('activePods', 'a function', activePods);
  if (typeof claims?.get !== 'function') throw invalidOption('claims', 'a getter of ResourceClaims', claims);
  const metrics = createDraMetrics(options.metrics ?? noMetrics);

  const cache = createClaimCache(stateFile);
  const cleanup = resourceSlices && createSliceCleanup({ nodeName, slices: resourceSlices, clock, random, logger });
  const changed = (driver: string, isConnected: boolean) => (isConnected ? cleanup?.cancel(driver) : cleanup?.schedule(driver));
  const drivers = createDrivers({ connect, clock, logger, changed });
  const operations = createClaimOperations({ cache, claims, drivers, call: createDriverCall(clock, metrics) });

  /** Measures an operation on the claims of a pod, and completes its error. */
  async function measured(operation: 'PrepareResources' | 'UnprepareResources', run: () => Promise<void>): Promise<void> {
    const startedAt = clock.monotonic();
    const observe = (isError: boolean) => {
      const labels = { operation_name: operation, is_error: String(isError) };
      metrics.operationSeconds.observe((clock.monotonic() - startedAt) / 1000, labels);
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

  const unprepare = (podUID: string, signal?: AbortSignal) => measured('UnprepareResources', () => operations.unprepare(podUID, signal));

  async function reconcile(signal: AbortSignal): Promise<void> {
    if (!sourcesReady()) return;
    const active = new Set(activePods().map(podUid));
    const isInactive = (podUID: string) => !active.has(podUID) && !couldHaveRunningContainers(podUID);
    const inactive = new Set(cache.all().flatMap(({ podUIDs }) => [...podUIDs].filter(isInactive)));
    const unprepareOrLog = (podUID: string) =>
      unprepare(podUID, signal).catch((error) => {
        if (!signal.aborted) logger.warn({ podUID, err: error }, 'cannot unprepare claims of an inactive pod; the next round retries');
      });
    await Promise.all([...inactive].map(unprepareOrLog));
  }

  const loop = createRunLoop(async (signal) => {
    while (!signal.aborted) {
      await reconcile(signal);
      await clock.sleep(reconcilePeriodMs, signal).catch(() => {});
    }
  });

  let loading: Promise<void> | undefined;
  let stopped = new AbortController();
  async function stop(): Promise<void> {
    loading = undefined;
    stopped.abort();
    stopped = new AbortController();
    await Promise.all([loop.stop(), drivers.stop(), cleanup?.stop()]);
    await cache.settled();
  }

  return {
    async start(signal) {
      if (signal?.aborted) return;
      loading ??= cache.load().then(() => cleanup?.deleteAll());
      await loading.catch((error) => {
        loading = undefined;
        throw error;
      });
      onAbort(signal, () => void stop(), stopped.signal);
      await loop.start();
    },
    stop,
    registration: drivers.registration,
    prepareResources: (pod, signal) => measured('PrepareResources', () => operations.prepare(pod, signal)),
    unprepareResources: (pod, signal) => unprepare(podUid(pod), signal),
    hasPreparedResources: (podUID) => cache.ofPod(podUID).length > 0,
    getCdiDevices(pod, container) {
      const ids = Array.from(containerClaimRequests(pod, container), ([claimName, requests]) => {
        const info = cache.get(claimKey(pod.metadata?.namespace, claimName));
        if (info !== undefined) return cdiDeviceIds(info, requests);
        const message = `ResourceClaim ${claimName} in namespace ${pod.metadata?.namespace} is not prepared`;
        throw new NodeAgentError(draManagerErrorCodes.claimNotPrepared, message, { retryable: true });
      });
      return [...new Set(ids.flat())];
    },
    getDynamicResources: (pod, container) =>
      Array.from(containerClaimRequests(pod, container)).flatMap(([claimName, requests]) => {
        const info = cache.get(claimKey(pod.metadata?.namespace, claimName));
        return info === undefined ? [] : [dynamicResourceOf(info, requests)];
      }),
    explain: () => ({
      drivers: drivers.instances().map(({ driver, endpoint, service, isConnected }) => ({ driver, endpoint, service, isConnected })),
      claims: cache.all().map((info) => ({ ...info, podUIDs: [...info.podUIDs], isPrepared: cache.isPrepared(info) })),
      pendingDeletions: (cleanup?.pending() ?? []).map(([driver, at]) => ({ driver, inMs: Math.max(at - clock.monotonic(), 0) })),
    }),
  };
}
