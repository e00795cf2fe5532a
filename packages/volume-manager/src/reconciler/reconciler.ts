import type { Node } from '@nodeagent/api';
import { devicesToUnmount, type PlanInput, type VolumeOperation, volumesToMount, volumesToUnmount, volumesWithOtherLabel } from './plan.js';

export interface ReconcilerOptions extends PlanInput {
  /** Whether the pods of all sources are in the desired state. */
  hasAddedPods(): boolean;
  /** Starts an operation if it can; never throws. */
  execute(operation: VolumeOperation): void;
  /** Called when volumes may be unmounted: cleans up the folders that could not be reconstructed. */
  cleanOrphans(): void;
  /** Reads the Node from the API server; undefined without a cluster. */
  getNode: ((signal: AbortSignal) => Promise<Node>) | undefined;
}

/** Compares the desired with the actual state and starts operations. */
export interface Reconciler {
  /** Unique names of reconstructed volumes whose attachment must be read from the Node's status. */
  readonly awaitingNodeStatus: Set<string>;
  /** Whether the reconstruction after a restart is complete. */
  readonly statesSynced: boolean;
  /** Compares once. */
  reconcile(): void;
  /** Updates the volumes in `awaitingNodeStatus` from the Node's status; rejects if the Node cannot be read. Reads nothing if none awaits it. */
  updateFromNodeStatus(signal: AbortSignal): Promise<void>;
}

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { actual, hasAddedPods, execute, cleanOrphans, getNode } = options;
  const awaitingNodeStatus = new Set<string>();
  let statesSynced = false;

  const executeAll = (operations: Iterable<VolumeOperation>) => {
    for (const operation of operations) execute(operation);
  };

  return {
    awaitingNodeStatus,
    get statesSynced() {
      return statesSynced;
    },
    reconcile() {
      const mayUnmount = hasAddedPods() && awaitingNodeStatus.size === 0;
      if (mayUnmount) executeAll(volumesToUnmount(options));
      executeAll(volumesToMount(options));
      for (const { podUid, why } of volumesWithOtherLabel(options)) options.desired.addErrorToPod(podUid, why);
      if (mayUnmount) {
        executeAll(devicesToUnmount(options));
        cleanOrphans();
      }
      if (awaitingNodeStatus.size === 0) statesSynced = true;
    },
    async updateFromNodeStatus(signal) {
      if (awaitingNodeStatus.size === 0) return;
      // Without a cluster no volumes are attached.
      if (getNode !== undefined) {
        const node = await getNode(signal);
        const attached = new Map(node.status?.volumesAttached?.map(({ name, devicePath }) => [name, devicePath]));
        for (const name of awaitingNodeStatus) actual.updateReconstructedVolume(name, attached.has(name), attached.get(name) ?? '');
      }
      awaitingNodeStatus.clear();
      statesSynced = true;
    },
  };
}
