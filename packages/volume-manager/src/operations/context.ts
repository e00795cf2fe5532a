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
import type { ActualWorld } from '../world/actual-world.js';

/** What operations work with. */
export interface OperationContext {
  actual: ActualWorld;
  plugins: PluginRegistry;
  node: VolumeNode;
  nodeName: string;
  /** The node as last seen. */
  cachedNode(): Node | undefined;
  /** The node as the API server has it; undefined without a cluster. */
  getNode: ((signal: AbortSignal) => Promise<Node>) | undefined;
  claims?: ObjectGetter<PersistentVolumeClaim>;
  claimStatuses?: ObjectPatcher<PersistentVolumeClaim>;
  persistentVolumes?: ObjectGetter<PersistentVolume>;
  recorder: EventRecorder;
  clock: Pick<Clock, 'now' | 'monotonic'>;
}
