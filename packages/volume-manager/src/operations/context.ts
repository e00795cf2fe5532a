import type { Clock, EventRecorder, Node, ObjectGetter, ObjectPatcher, PersistentVolume, PersistentVolumeClaim } from '@nodeagent/api';
import type { PluginRegistry } from '../plugin/plugin-registry.js';
import type { VolumeNode } from '../plugin/volume-node.js';
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
