import {
  type Clock,
  type CSIDriver,
  type Informer,
  type Logger,
  type Metrics,
  type Node,
  noMetrics,
  type ObjectGetter,
  type ObjectUpdater,
  onAbort,
  type Random,
  type Secret,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
  type VolumeAttachment,
  type VolumePlugin,
} from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import { createAllocatableUpdates } from './allocatable.js';
import { type CallCsiNode, grpcNodeCaller } from './calls.js';
import type { ApplyFsGroup, PluginContext, RequestServiceAccountToken } from './context.js';
import { createDrivers } from './drivers.js';
import { createVolumeFiles } from './files.js';
import { type CsiNodes, createNodeInfoManager } from './node-info.js';
import { createVolumePlugin } from './plugin.js';
import { type CsiRegistration, createRegistration, getNodeInfo } from './registration.js';

/** Options of {@link createCsi}. */
export interface CsiOptions {
  /** The agent's root directory, such as `/var/lib/kubelet`. */
  rootDir: string;
  nodeName: string;
  /** Whether the path is a mount point. */
  isMountPoint(path: string): Promise<boolean>;
  /** Informer of CSIDrivers. Default: no driver has a CSIDriver. */
  csiDrivers?: Informer<CSIDriver>;
  /** Reads VolumeAttachments. Default: no volume must be attached. */
  volumeAttachments?: ObjectGetter<VolumeAttachment>;
  /** Reads secrets. Default: volumes with secrets fail. */
  secrets?: ObjectGetter<Secret>;
  /** Report drivers to the API server. Set both or neither. Default: drivers are not reported. */
  nodes?: ObjectGetter<Node> & ObjectUpdater<Node>;
  csiNodes?: CsiNodes;
  /** Requests service account tokens. Default: volumes of drivers with `tokenRequests` fail. */
  serviceAccountToken?: RequestServiceAccountToken;
  /** Applies `fsGroup` to the files of a volume. Default: files keep their group. */
  applyFsGroup?: ApplyFsGroup;
  /** Whether the file system at the path supports SELinux labels. Default: it does not. */
  supportsSELinux?: (path: string) => Promise<boolean>;
  /** Default: gRPC on the drivers' sockets. */
  callNode?: CallCsiNode;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  metrics?: Metrics;
}

/** The CSI part of a node. */
export interface Csi extends Startable {
  readonly plugin: VolumePlugin;
  /** Registers drivers: the handler of plugins of type `CSIPlugin`. */
  readonly registration: CsiRegistration;
  /** Why the node is not ready for CSI volumes yet; undefined if it is. */
  notReadyReason(): string | undefined;
}

/** Creates the CSI volume plugin and the registration of drivers. Does no I/O before `start`, a registration or an operation. */
export function createCsi(options: CsiOptions): Csi {
  const { nodeName, csiDrivers, volumeAttachments, nodes, csiNodes } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger, metrics = noMetrics } = options;
  const { callNode = grpcNodeCaller(metrics, clock) } = options;
  const drivers = createDrivers(csiDrivers);
  const context: PluginContext = {
    paths: volumePaths(options.rootDir),
    nodeName,
    drivers,
    callNode,
    files: createVolumeFiles(options.isMountPoint),
    volumeAttachments,
    secrets: options.secrets,
    serviceAccountToken: options.serviceAccountToken,
    applyFsGroup: options.applyFsGroup,
    supportsSELinux: options.supportsSELinux,
    clock,
    logger,
  };
  const nodeInfo =
    nodes === undefined || csiNodes === undefined ? undefined : createNodeInfoManager({ nodeName, nodes, csiNodes, clock, random, logger });
  let ready = nodeInfo === undefined;
  let controller: AbortController | undefined;
  let initializing: Promise<void> | undefined;
  let unlisten = () => {};

  async function updateAllocatable(name: string, signal: AbortSignal): Promise<void> {
    const driver = drivers.find(name);
    if (driver === undefined || nodeInfo === undefined) return;
    await nodeInfo.update(name, await getNodeInfo(driver, callNode, clock, signal), signal);
  }

  const allocatable = createAllocatableUpdates(
    drivers,
    async (name) => {
      if (controller !== undefined) await updateAllocatable(name, controller.signal);
    },
    clock,
    logger,
  );
  const refresh = () => {
    if (controller !== undefined && nodeInfo !== undefined) allocatable.refresh();
  };

  return {
    plugin: createVolumePlugin(context, updateAllocatable),
    registration: createRegistration({ drivers, callNode, nodeInfo, clock, changed: refresh }),
    notReadyReason: () => (ready ? undefined : 'CSINode is not yet initialized'),
    async start(outer) {
      if (controller !== undefined) return;
      controller = new AbortController();
      const { signal } = controller;
      onAbort(outer, () => void this.stop(), signal);
      unlisten = csiDrivers?.onChange(refresh) ?? unlisten;
      refresh();
      if (ready) return;
      initializing = nodeInfo?.initialize(signal).then(
        () => {
          ready = true;
        },
        (error: unknown) => {
          if (!signal.aborted) logger.error({ err: error }, 'could not initialize the CSINode');
        },
      );
    },
    async stop() {
      unlisten();
      allocatable.stop();
      controller?.abort();
      controller = undefined;
      await initializing;
    },
  };
}
