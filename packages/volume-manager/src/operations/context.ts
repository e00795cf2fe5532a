import type {
  Clock,
  EventRecorder,
  Node,
  ObjectGetter,
  ObjectPatcher,
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeNode,
} from '@nodeagent/api';
import type { PluginRegistry } from '../plugin-registry.js';
import type { ActualState } from '../state/actual-state.js';

/** State and ports that operations use. */
export interface OperationContext {
  actual: ActualState;
  plugins: PluginRegistry;
  node: VolumeNode;
  nodeName: string;
  /** The Node as last read. */
  cachedNode(): Node | undefined;
  /** Reads the Node from the API server; undefined without a cluster. */
  getNode: ((signal: AbortSignal) => Promise<Node>) | undefined;
  claims?: ObjectGetter<PersistentVolumeClaim>;
  claimStatuses?: ObjectPatcher<PersistentVolumeClaim>;
  persistentVolumes?: ObjectGetter<PersistentVolume>;
  recorder: EventRecorder;
  clock: Pick<Clock, 'now' | 'monotonic'>;
}
