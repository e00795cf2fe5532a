import { errorMessage, type Logger, type Node } from '@nodeagent/api';
import { formatResourceList } from '@nodeagent/api/helpers';
import type { MachineInfo } from '../machine/machine-info.js';
import { machineCapacity } from '../status/capacity.js';
import { providedNodeIPAnnotation } from '../status/initial-node.js';
import { configuredNodeIPs, nodeAddresses } from '../status/node-addresses.js';
import type { NodeStatusFacts } from '../status/node-facts.js';
import { nodeReservation, validateReservation } from '../status/reservation.js';
import type { NodeStatusManagerOptions } from './options.js';
import type { CompleteSettings } from './settings.js';

/** Collects the facts for a node's status from the ports. A failure is logged once for each cause, and its fact is absent. */
export function createFactsGatherer(options: NodeStatusManagerOptions, settings: CompleteSettings, logger: Logger) {
  const { nodeName, hostname = nodeName, operatingSystem = 'linux', architecture } = options;
  let machine: MachineInfo | undefined;
  let hasAddresses = true;
  const tryTo = createFactReader(logger);

  /** Read once: later changes take effect after a restart. */
  const machineInfo = async (signal: AbortSignal) => {
    machine ??= await tryTo('machine', signal, () => options.machine.info(signal));
    return machine;
  };

  return {
    /** Throws `InvalidNodeAllocatable`. Skips the check if the machine cannot be read. */
    async checkReservation(signal: AbortSignal): Promise<void> {
      const info = await machineInfo(signal);
      if (info === undefined) return;
      const capacity = formatResourceList(machineCapacity({ ...settings, machine: info }));
      validateReservation(capacity, nodeReservation({ ...settings, capacity }));
    },
    /** Whether the last facts include the node's addresses. */
    hasAddresses: () => hasAddresses,
    platform: { operatingSystem, architecture, hostname },
    /** The Node with the annotation of its configured addresses. */
    annotate(node: Node): Node {
      const ips = settings.externalCloudProvider ? configuredNodeIPs(settings.nodeIPs).join(',') : '';
      const { [providedNodeIPAnnotation]: present, ...others } = node.metadata?.annotations ?? {};
      if (ips === (present ?? '')) return node;
      const annotations = ips === '' ? others : { ...others, [providedNodeIPAnnotation]: ips };
      return { ...node, metadata: { ...node.metadata, annotations } };
    },
    async facts(node: Node, signal: AbortSignal): Promise<NodeStatusFacts> {
      const { runtime, pressure, volumes, devices } = options;
      const addressInput = { nodeName, hostname, ...settings, existing: node.status?.addresses ?? [] };
      const addresses = await tryTo('addresses', signal, () => nodeAddresses(addressInput, options.network, signal));
      hasAddresses = addresses !== undefined;
      const info = await machineInfo(signal);
      const images = await tryTo('images', signal, () => options.images?.(signal) ?? []);
      const handlers = runtime.handlers?.();
      const features = runtime.features?.();
      const shutdownError = options.shutdownError?.();
      const warning = options.warning?.();
      const declaredFeatures = settings.declaredFeatures ?? options.declaredFeatures?.();
      return {
        ...settings,
        nodeName,
        operatingSystem,
        architecture,
        ...(addresses && { addresses }),
        ...(info && { machine: info }),
        ...(devices && { devices: devices.resources() }),
        runtimeVersion: runtime.version(),
        kubeletPort: settings.port,
        images: images ?? [],
        ...(handlers && { runtimeHandlers: handlers }),
        ...(features && { features }),
        ...(declaredFeatures && { declaredFeatures }),
        pressure: {
          memory: pressure?.isUnderMemoryPressure() ?? false,
          disk: pressure?.isUnderDiskPressure() ?? false,
          pid: pressure?.isUnderPIDPressure() ?? false,
        },
        runtimeErrors: runtime.errors(),
        networkErrors: runtime.networkErrors(),
        storageErrors: options.storageErrors?.() ?? [],
        ...(shutdownError && { shutdownError }),
        ...(warning && { warning }),
        ...(volumes?.hasSynced && { volumesInUse: volumes.volumesInUse() }),
      };
    },
  };
}

export type FactsGatherer = ReturnType<typeof createFactsGatherer>;

/** Creates a function that reads a fact: undefined if that fails. A lasting failure is logged once. */
function createFactReader(logger: Logger) {
  /** The last failure of each fact. */
  const failures = new Map<string, string>();
  return async <T>(what: string, signal: AbortSignal, read: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      const result = await read();
      failures.delete(what);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      const message = errorMessage(error);
      if (failures.get(what) !== message) logger.error({ err: message }, `cannot get the node's ${what}`);
      failures.set(what, message);
      return undefined;
    }
  };
}
