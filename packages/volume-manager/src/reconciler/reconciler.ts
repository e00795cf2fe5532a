import type { Node } from '@nodeagent/api';
import { devicesToUnmount, type PlanInput, type VolumeOperation, volumesToMount, volumesToUnmount, volumesWithOtherLabel } from './plan.js';

export interface ReconcilerOptions extends PlanInput {
  /** Whether all pods of the sources are in the desired world. */
  hasAddedPods(): boolean;
  /** Begins an operation, or refuses; never throws. */
  execute(operation: VolumeOperation): void;
  /** Called when volumes may be unmounted: what could not be understood of what a restart found can be cleaned up. */
  cleanOrphans(): void;
  /** The node as the API server has it; undefined without a cluster. */
  getNode: ((signal: AbortSignal) => Promise<Node>) | undefined;
}

/** Compares the worlds and begins what has to be done. */
export interface Reconciler {
  /** Unique names of volumes that a restart found and of which the node's status has yet to tell whether they are attached. */
  readonly awaitingNodeStatus: Set<string>;
  /** Whether what a restart found has been settled. */
  readonly statesSynced: boolean;
  /** One comparison. */
  reconcile(): void;
  /** Reads what the node's status says of the volumes that wait for it; rejects if it cannot be read. */
  settle(signal: AbortSignal): Promise<void>;
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
    async settle(signal) {
      // Without a cluster nobody attaches anything.
      if (getNode !== undefined) {
        const node = await getNode(signal);
        const attached = new Map(node.status?.volumesAttached?.map(({ name, devicePath }) => [name, devicePath]));
        for (const name of awaitingNodeStatus) actual.settleFoundVolume(name, attached.has(name), attached.get(name) ?? '');
      }
      awaitingNodeStatus.clear();
      statesSynced = true;
    },
  };
}
