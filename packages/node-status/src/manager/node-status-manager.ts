import {
  checkOptionNames,
  createRunLoop,
  invalidOption,
  isApiReason,
  type Node,
  NodeAgentError,
  noEvents,
  type OptionNames,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';
import { archLabel, initialNode, osLabel } from '../status/initial-node.js';
import { decideNodeReport } from '../status/report.js';
import { nodeStatusChanged } from '../status/semantic-equal.js';
import { type NodeEvent, setNodeStatus } from '../status/set-node-status.js';
import { nodeStatusPatch } from '../status/status-patch.js';
import { createFactsGatherer } from './gather-facts.js';
import { jitteredLoop } from './jittered-loop.js';
import { createNodeEvents } from './node-events.js';
import type { NodeStatusManagerOptions } from './options.js';
import { retryRegistration, tryRegister } from './register.js';
import { createSerial } from './serial.js';
import { withDefaults } from './settings.js';
import { timedCall } from './timed-call.js';

/** Registers the node and reports its status until it is stopped. */
export interface NodeStatusManager extends Startable {
  /** Rejects with `InvalidNodeAllocatable` if reservations exceed the machine's capacity. Idempotent. */
  start(signal?: AbortSignal): Promise<void>;
  /** Whether the Node is registered. */
  readonly registered: boolean;
  /**
   * Registers the node if needed, and patches its status if it is due; runs are serialized. Rejects with `NodeStatusUpdateFailed` after
   * five failed attempts. For callers that cannot wait for the next period, such as a shutdown.
   */
  syncNodeStatus(signal?: AbortSignal): Promise<void>;
  /** The Node as last observed, or as it will be registered. */
  getNode(signal?: AbortSignal): Promise<Node>;
  /** The Node as the API server has it now; rejects without one. */
  fetchNode(signal?: AbortSignal): Promise<Node>;
}

const maxUpdateTries = 5;
const fastPeriodMs = 100;
/** Sync period while the node has no addresses, because the API server needs them to reach it. */
const missingAddressPeriodMs = 1_000;
/** Time after the start in which a node that is not ready is checked often. */
const readyGracePeriodMs = 120_000;

const optionNames: OptionNames<NodeStatusManagerOptions> = {
  nodeName: true,
  hostname: true,
  nodes: true,
  informer: true,
  machine: true,
  network: true,
  runtime: true,
  operatingSystem: true,
  architecture: true,
  images: true,
  pressure: true,
  volumes: true,
  devices: true,
  storageErrors: true,
  shutdownError: true,
  declaredFeatures: true,
  warning: true,
  updatePodCIDR: true,
  onRegistered: true,
  onRepeatedHeartbeatFailure: true,
  clock: true,
  random: true,
  recorder: true,
  logger: true,
  settings: {
    registerNode: true,
    registerDeletedNode: true,
    nodeLabels: true,
    registerWithTaints: true,
    providerID: true,
    externalCloudProvider: true,
    enableControllerAttachDetach: true,
    nodeIPs: true,
    kubeletVersion: true,
    port: true,
    maxPods: true,
    podsPerCore: true,
    nodeStatusMaxImages: true,
    nodeStatusUpdateFrequencyMs: true,
    nodeStatusReportFrequencyMs: true,
    systemReserved: true,
    kubeReserved: true,
    evictionReserves: true,
    localStorageCapacityIsolation: true,
    declaredFeatures: true,
    callTimeoutMs: true,
  },
};

/**
 * Keeps the Node object current: Kubernetes documentation, "Nodes", "Node Status". Failures are logged and retried forever. Throws
 * `InvalidOption`.
 */
export function createNodeStatusManager(options: NodeStatusManagerOptions): NodeStatusManager {
  checkOptionNames('createNodeStatusManager', options, optionNames);
  const { nodeName, nodes, informer, volumes, devices, updatePodCIDR, onRegistered, onRepeatedHeartbeatFailure } = options;
  const { clock = systemClock, random = systemRandom, recorder = noEvents, logger = silentLogger } = options;
  if (!nodeName) throw invalidOption('nodeName', 'a name', nodeName);
  const settings = withDefaults(options.settings);
  const gatherer = createFactsGatherer(options, settings, logger);
  const key = { name: nodeName };
  const { emit, emitSchedulable } = createNodeEvents(recorder, nodeName);
  const serial = createSerial();

  let registered = false;
  let lastSeen: Node | undefined;
  let lastReport: number | undefined;
  let delay = 0;
  let podCidrs = '';
  let stops = 0;

  const call = <T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) =>
    timedCall(clock, settings.callTimeoutMs, signal, work);
  const patchStatus = (patch: unknown, signal: AbortSignal) =>
    call(signal, (limited) => client().patch(key, patch, { type: 'strategic', subresource: 'status', signal: limited }));

  function client(): NonNullable<typeof nodes> {
    if (nodes === undefined) throw invalidOption('nodes', 'set', nodes);
    return nodes;
  }

  async function statusOf(node: Node, signal: AbortSignal) {
    return setNodeStatus(gatherer.annotate(node), await gatherer.facts(node, signal), clock.now());
  }

  function buildInitialNode(signal: AbortSignal) {
    const { nodeLabels: labels, registerWithTaints: taints, ...rest } = settings;
    const input = { nodeName, ...gatherer.platform, ...rest, ...(labels && { labels }), ...(taints && { taints }) };
    return statusOf(initialNode(input), signal);
  }

  /** Resolves to the Node as the API server has it. */
  async function register(signal: AbortSignal): Promise<Node> {
    const limited = {
      create: (node: Node) => call(signal, (within) => client().create(node, { signal: within })),
      get: () => call(signal, (within) => client().get(key, { signal: within })),
      patch: (_key: unknown, patch: unknown) => patchStatus(patch, signal),
    };
    const node = await retryRegistration(
      async () => {
        const { node, events } = await buildInitialNode(signal);
        const resetExtendedResources = devices?.shouldResetExtendedResources() ?? false;
        const known = await tryRegister(node, { nodes: limited, logger, resetExtendedResources });
        if (known !== undefined) emit(events);
        return known;
      },
      clock,
      signal,
    );
    lastSeen = node;
    registered = true;
    logger.info({ node: nodeName }, 'node registered');
    onRegistered?.();
    return node;
  }

  /** The updated Node, the events to emit after its patch, and whether it changed. */
  async function updatedNode(original: Node, signal: AbortSignal) {
    const cidrs = original.spec?.podCIDRs?.join(',') ?? '';
    let changed = cidrs !== '' && cidrs !== podCidrs && (await updatePodCidrs(cidrs, signal));
    const { operatingSystem, architecture } = gatherer.platform;
    const labels = original.metadata?.labels ?? {};
    const repaired = { ...labels, [osLabel]: operatingSystem, [archLabel]: architecture };
    const isRepaired = labels[osLabel] !== operatingSystem || labels[archLabel] !== architecture;
    const { node, events } = await statusOf(
      isRepaired ? { ...original, metadata: { ...original.metadata, labels: repaired } } : original,
      signal,
    );
    emitSchedulable(original.spec?.unschedulable ?? false);
    changed ||= isRepaired || nodeStatusChanged(original.status, node.status);
    return { node, events, changed };
  }

  async function updatePodCidrs(cidrs: string, signal: AbortSignal): Promise<boolean> {
    try {
      await updatePodCIDR?.(cidrs, signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.error({ cidrs, err: error }, "cannot update the runtime's pod CIDRs");
      return false;
    }
    podCidrs = cidrs;
    return true;
  }

  async function report(
    original: Node,
    { node, events }: { node: Node; events: readonly NodeEvent[] },
    signal: AbortSignal,
  ): Promise<Node> {
    const patch = nodeStatusPatch(original, node);
    const answer = patch === undefined ? node : await patchStatus(patch, signal);
    lastSeen = answer;
    lastReport = clock.monotonic();
    emit(events);
    return answer;
  }

  /**
   * The first attempt reads the cheapest source; a conflict shows that it was outdated. A Node that was just registered is used as it is,
   * because the informer receives it later.
   */
  async function readNode(attempt: number, justRegistered: Node | undefined, signal: AbortSignal): Promise<Node> {
    if (attempt === 0 && justRegistered !== undefined) return justRegistered;
    if (attempt > 0 || informer === undefined) {
      const version = attempt > 0 ? {} : { resourceVersion: '0' };
      return call(signal, (limited) => client().get(key, { ...version, signal: limited }));
    }
    const cached = informer.get(key);
    if (cached === undefined)
      throw new NodeAgentError(nodeStatusErrorCodes.nodeUnknown, `node "${nodeName}" not found`, { retryable: true });
    return cached;
  }

  async function tryUpdate(attempt: number, justRegistered: Node | undefined, signal: AbortSignal): Promise<void> {
    const original = await readNode(attempt, justRegistered, signal);
    lastSeen = original;
    const updated = await updatedNode(original, signal);
    const input = {
      changed: updated.changed,
      delay,
      reportFrequency: settings.nodeStatusReportFrequencyMs,
      ...(lastReport !== undefined && { lastReport }),
    };
    const decision = decideNodeReport(input, clock.monotonic(), random());
    delay = decision.delay;
    const reported = decision.report ? await report(original, updated, signal) : updated.node;
    volumes?.markVolumesAsReportedInUse(reported.status?.volumesInUse ?? []);
  }

  async function update(signal: AbortSignal, justRegistered?: Node): Promise<void> {
    let cause: unknown;
    for (let attempt = 0; attempt < maxUpdateTries; attempt++) {
      try {
        return await tryUpdate(attempt, justRegistered, signal);
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
        logger.warn({ attempt, err: error }, 'cannot update the node status');
        if (isApiReason(error, 'NotFound') && settings.registerDeletedNode) registered = false;
        if (attempt > 0) onRepeatedHeartbeatFailure?.();
      }
    }
    throw new NodeAgentError(nodeStatusErrorCodes.statusUpdateFailed, 'update node status exceeds retry count', { retryable: true, cause });
  }

  const sync = (signal: AbortSignal) =>
    serial(async () => {
      const justRegistered = settings.registerNode && !registered ? await register(signal) : undefined;
      await update(signal, justRegistered);
    });

  /** Patches the status once the node becomes ready; true if it is reported as ready. */
  async function reportReady(signal: AbortSignal): Promise<boolean> {
    const original = informer === undefined ? lastSeen : informer.get(key);
    const before = original && readyStatus(original);
    if (original === undefined || before === undefined) return false;
    if (before === 'True') return true;
    await refreshRuntime(signal);
    const updated = await updatedNode(original, signal);
    if (!updated.changed || readyStatus(updated.node) === 'False') return false;
    try {
      await report(original, updated, signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error }, 'cannot report that the node is ready, retrying with a full sync');
      return update(signal).then(
        () => true,
        () => true,
      );
    }
    return true;
  }

  async function refreshRuntime(signal: AbortSignal): Promise<void> {
    try {
      await options.runtime.refresh?.(signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error }, "cannot refresh the runtime's status");
    }
  }

  async function fastLoop(signal: AbortSignal): Promise<void> {
    const end = clock.monotonic() + readyGracePeriodMs;
    while (clock.monotonic() < end) {
      try {
        if (await serial(() => reportReady(signal))) return;
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ err: error }, 'cannot check whether the node is ready');
      }
      await clock.sleep(fastPeriodMs, signal);
    }
    logger.error('the node did not become ready in time after the start');
  }

  async function slowLoop(signal: AbortSignal): Promise<void> {
    await refreshRuntime(signal);
    const work = async () => {
      try {
        await sync(signal);
      } catch (error) {
        if (!signal.aborted) logger.error({ err: error }, 'unable to update the node status');
      }
    };
    const { nodeStatusUpdateFrequencyMs: usual } = settings;
    const periodMs = () => (gatherer.hasAddresses() ? usual : Math.min(usual, missingAddressPeriodMs));
    await jitteredLoop(work, { clock, random, periodMs, signal });
  }

  const loop = createRunLoop(async (signal) => {
    registered = false;
    lastReport = undefined;
    emit([{ type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' }]);
    if (nodes !== undefined) await Promise.allSettled([slowLoop(signal), fastLoop(signal)]);
  });

  return {
    get registered() {
      return registered;
    },
    async start(signal = new AbortController().signal) {
      const before = stops;
      await gatherer.checkReservation(signal);
      if (stops === before) await loop.start(signal);
    },
    stop() {
      stops++;
      return loop.stop();
    },
    async syncNodeStatus(signal = new AbortController().signal) {
      if (nodes !== undefined) await sync(signal);
    },
    async getNode(signal) {
      return informer?.get(key) ?? lastSeen ?? (await buildInitialNode(signal ?? new AbortController().signal)).node;
    },
    fetchNode: (signal) => call(signal, (limited) => client().get(key, { signal: limited })),
  };
}

function readyStatus({ status }: Node): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}
