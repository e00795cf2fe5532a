import type { Adapter } from '../adapter.js';
import { apiEnvironmentAdapters } from './api-environment.js';
import { apiNetworkAdapters } from './api-network.js';
import { apiObjectsAdapters } from './api-objects.js';
import { apiQuantityAdapters } from './api-quantity.js';
import { apiResourcesAdapters } from './api-resources.js';
import { certificateManagerAdapters } from './certificate-manager.js';
import { containerLogsAdapters } from './container-logs.js';
import { cpuManagerAdapters } from './cpu-manager.js';
import { deviceManagerAdapters } from './device-manager.js';
import { eventRecorderAdapters } from './event-recorder.js';
import { evictionAdapters } from './eviction.js';
import { evictionManagerAdapters } from './eviction-manager.js';
import { imageGcAdapters } from './image-gc.js';
import { imageManagerAdapters } from './image-manager.js';
import { kubeletConfigAdapters } from './kubelet-config.js';
import { memoryManagerAdapters } from './memory-manager.js';
import { nodeShutdownAdapters } from './node-shutdown.js';
import { nodeStatusAdapters } from './node-status.js';
import { plegAdapters } from './pleg.js';
import { podAdmissionAdapters } from './pod-admission.js';
import { podSourcesAdapters } from './pod-sources.js';
import { podViewAdapters } from './pod-view.js';
import { podWorkersAdapters } from './pod-workers.js';
import { proberAdapters } from './prober.js';
import { runtimeManagerAdapters } from './runtime-manager.js';
import { serverAdapters } from './server.js';
import { statsAdapters } from './stats.js';
import { statusManagerAdapters } from './status-manager.js';
import { topologyManagerAdapters } from './topology-manager.js';
import { volumeCsiAdapters } from './volume-csi.js';
import { volumeOperationsAdapters } from './volume-operations.js';
import { volumePluginsAdapters } from './volume-plugins.js';
import { volumePopulatorAdapters } from './volume-populator.js';
import { volumeStatesAdapters } from './volume-states.js';

/** Every adapter, one module a package whose decisions it replays. */
export const adapters: Adapter[] = [
  ...apiEnvironmentAdapters,
  ...apiNetworkAdapters,
  ...apiObjectsAdapters,
  ...apiQuantityAdapters,
  ...apiResourcesAdapters,
  ...certificateManagerAdapters,
  ...containerLogsAdapters,
  ...cpuManagerAdapters,
  ...deviceManagerAdapters,
  ...eventRecorderAdapters,
  ...evictionAdapters,
  ...evictionManagerAdapters,
  ...imageGcAdapters,
  ...imageManagerAdapters,
  ...kubeletConfigAdapters,
  ...memoryManagerAdapters,
  ...nodeShutdownAdapters,
  ...nodeStatusAdapters,
  ...plegAdapters,
  ...podAdmissionAdapters,
  ...podSourcesAdapters,
  ...podViewAdapters,
  ...podWorkersAdapters,
  ...proberAdapters,
  ...runtimeManagerAdapters,
  ...serverAdapters,
  ...statsAdapters,
  ...statusManagerAdapters,
  ...topologyManagerAdapters,
  ...volumeCsiAdapters,
  ...volumeOperationsAdapters,
  ...volumePluginsAdapters,
  ...volumePopulatorAdapters,
  ...volumeStatesAdapters,
];
