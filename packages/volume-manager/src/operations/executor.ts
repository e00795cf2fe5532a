import {
  apiErrorCodes,
  type Clock,
  type EventRecorder,
  errorCode,
  errorHint,
  errorMessage,
  failedOperationText,
  isBlockVolume,
  type Logger,
  type NodeAgentError,
  type Pod,
  podReference,
  type VolumePlugin,
  type VolumeSpec,
} from '@nodeagent/api';
import { volumeManagerErrorCodes } from '../errors.js';
import type { VolumeMetrics } from '../metrics.js';
import type { VolumeOperation } from '../reconciler/plan.js';
import { attachVolume, detachVolume, requireInNodeStatus, verifyAttached } from './attach-volume.js';
import type { OperationContext } from './context.js';
import { expandInUse } from './expand-volume.js';
import { mapVolume } from './map-volume.js';
import { mountVolume } from './mount-volume.js';
import { createNestedPendingOperations, type OperationKey, operationKeyText } from './nested-pending-operations.js';
import { unmapDevice, unmountDevice } from './unmount-device.js';
import { isBlockMount, unmapVolume, unmountVolume } from './unmount-volume.js';

export interface ExecutorOptions {
  context: OperationContext;
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
  metrics: VolumeMetrics;
  /** Called when an operation has finished. */
  onSettled(): void;
}

/** An operation with the facts for metrics and events. */
interface Task {
  /** The operation's name in metrics. */
  name: string;
  volumeName: string;
  /** Empty if the operation concerns the device that all pods share. */
  podUid: string;
  plugin: VolumePlugin;
  spec: VolumeSpec;
  /** The pod whose folder the operation changes. */
  worksFor?: string;
  /** The pod that gets an event if the operation fails, and the event's reason. */
  event?: { pod: Pod; reason: string };
  /** Throws if the operation must not start. */
  precondition?(): void;
  run(signal: AbortSignal): Promise<void>;
}

/** Runs operations, one at a time for each volume, with exponential back-off after a failure. */
export interface OperationExecutor {
  /** Starts the operation unless one is running on the volume or is in back-off; never throws. */
  execute(operation: VolumeOperation, signal: AbortSignal): void;
  /** Runs a task that is not part of a plan under the same rules. */
  run(task: Task, signal: AbortSignal): void;
  isPending(volumeName: string, podUid?: string): boolean;
  /** Whether an operation is changing the pod's folder. */
  isBusyFor(podUid: string): boolean;
  /** The earliest retry time (monotonic milliseconds) of the operations that did not start since the last call; infinity without any. */
  takeRetryAt(): number;
  /** Resolves when no operation is running. */
  idle(): Promise<void>;
}

/** Retry delay after an unmet precondition. */
const preconditionMs = 500;

export function createOperationExecutor({ context, clock, recorder, logger, metrics, onSettled }: ExecutorOptions): OperationExecutor {
  const pending = createNestedPendingOperations({ clock });
  const inFlight = new Map<Promise<void>, string | undefined>();
  let retryAt = Number.POSITIVE_INFINITY;

  const refused = (error: unknown) => {
    const isWaiting = errorCode(error) === apiErrorCodes.operationBackOff;
    const isEarly = errorCode(error) === volumeManagerErrorCodes.failedPrecondition;
    if (isWaiting) retryAt = Math.min(retryAt, Number((error as NodeAgentError).details.retryAt));
    else if (isEarly) retryAt = Math.min(retryAt, clock.monotonic() + preconditionMs);
    else if (errorCode(error) !== apiErrorCodes.operationExists) throw error;
  };

  const finish = (task: Task, key: OperationKey, operation: ReturnType<typeof pending.begin>, error: unknown, signal: AbortSignal) => {
    // An operation that stop() aborted has not failed.
    const backoff = operation.finish(signal.aborted ? undefined : error);
    if (backoff === undefined || signal.aborted) return;
    const isEarly = errorCode(error) === volumeManagerErrorCodes.failedPrecondition;
    const level = task.event && !isEarly ? 'debug' : 'warn';
    logger[level]({ volume: task.volumeName, operation: task.name }, failedOperationText(operationKeyText(key), backoff, clock.now()));
    if (task.event && !isEarly) {
      const { pod, reason } = task.event;
      recorder.event(podReference(pod), 'Warning', reason, errorMessage(error), undefined, errorHint(error));
    }
  };

  const executor: OperationExecutor = {
    execute(operation, signal) {
      if (operation.type === 'MarkVolumeAsDetached') context.actual.markVolumeAsDetached(operation.volume.volumeName);
      else executor.run(taskOf(context, operation, metrics), signal);
    },
    run(task, signal) {
      const key = { volumeName: task.volumeName, podUid: task.podUid, nodeName: '' };
      let operation: ReturnType<typeof pending.begin>;
      try {
        task.precondition?.();
        operation = pending.begin(key, task.name);
      } catch (error) {
        refused(error);
        return;
      }
      const began = clock.monotonic();
      const observe = (failed: boolean) =>
        signal.aborted || metrics.operation(task.plugin, task.spec, task.name, failed, (clock.monotonic() - began) / 1000);
      const work = task
        .run(signal)
        .then(
          () => {
            observe(false);
            finish(task, key, operation, undefined, signal);
          },
          (error: unknown) => {
            observe(true);
            finish(task, key, operation, error ?? new Error('unknown error'), signal);
          },
        )
        .finally(() => {
          inFlight.delete(work);
          onSettled();
        });
      inFlight.set(work, task.worksFor);
    },
    isPending: (volumeName, podUid = '') => pending.isPending({ volumeName, podUid, nodeName: '' }),
    isBusyFor: (podUid) => [...inFlight.values()].includes(podUid),
    takeRetryAt() {
      const taken = retryAt;
      retryAt = Number.POSITIVE_INFINITY;
      return taken;
    },
    async idle() {
      await Promise.all(inFlight.keys());
    },
  };
  return executor;
}

type Executable = Exclude<VolumeOperation, { type: 'MarkVolumeAsDetached' }>;

/** The operation with the kubelet's name and key: an operation on a shared device has one key, unmounting has one for each pod. */
function taskOf(context: OperationContext, operation: Executable | VolumeOperation, metrics: VolumeMetrics): Task {
  switch (operation.type) {
    case 'UnmountVolume': {
      const { mounted } = operation;
      const { volume, mount } = mounted;
      const isBlock = isBlockMount(mounted);
      return {
        name: isBlock ? 'unmap_volume' : 'volume_unmount',
        volumeName: volume.volumeName,
        podUid: mount.podUid,
        plugin: mount.plugin,
        spec: mount.spec,
        run: (signal) => (isBlock ? unmapVolume(context, mounted, signal) : unmountVolume(context, mounted, signal)),
      };
    }
    case 'MountVolume': {
      const { wanted, devicePath, isRemount } = operation;
      const { spec, plugin } = wanted.resolved;
      const isBlock = isBlockVolume(spec);
      return {
        ...ofWanted(wanted.attachable || wanted.deviceMountable ? '' : wanted.podUid),
        name: isBlock ? 'map_volume' : 'volume_mount',
        worksFor: wanted.podUid,
        event: { pod: wanted.pod, reason: isBlock ? 'FailedMapVolume' : 'FailedMount' },
        async run(signal) {
          await (isBlock ? mapVolume : mountVolume)(context, { wanted, devicePath, isRemount, signal });
          metrics.total(plugin, spec, 'overall_volume_mount', (context.clock.monotonic() - wanted.requestedAt) / 1000);
        },
      };
    }
    case 'VerifyControllerAttachedVolume': {
      const { wanted } = operation;
      return {
        ...ofWanted(''),
        name: 'verify_controller_attached_volume',
        precondition: () => requireInNodeStatus(context, wanted),
        run: (signal) => verifyAttached(context, wanted, signal),
      };
    }
    case 'AttachVolume': {
      const { wanted } = operation;
      return {
        ...ofWanted(''),
        name: 'volume_attach',
        event: { pod: wanted.pod, reason: 'FailedAttachVolume' },
        run: (signal) => attachVolume(context, wanted, signal),
      };
    }
    case 'ExpandInUseVolume': {
      const { wanted } = operation;
      const volume = context.actual.get(wanted.volumeName);
      const mount = context.actual.podMount(wanted.podUid, wanted.volumeName);
      return {
        ...ofWanted(''),
        name: 'volume_fs_resize',
        event: { pod: wanted.pod, reason: 'VolumeResizeFailed' },
        run: (signal) =>
          expandInUse(context, {
            wanted,
            devicePath: volume?.devicePath ?? '',
            deviceMountPath: mount?.mounter?.path ?? volume?.deviceMountPath ?? '',
            deviceStagePath: volume?.deviceMountPath ?? '',
            signal,
          }),
      };
    }
    default: {
      const { volume } = operation;
      const isBlock = isBlockVolume(volume.spec);
      const common = { volumeName: volume.volumeName, podUid: '', plugin: volume.plugin, spec: volume.spec };
      if (operation.type === 'DetachVolume')
        return { ...common, name: 'volume_detach', run: (signal) => detachVolume(context, volume, signal) };
      return {
        ...common,
        name: isBlock ? 'unmap_device' : 'unmount_device',
        run: (signal) => (isBlock ? unmapDevice : unmountDevice)(context, volume, signal),
      };
    }
  }

  function ofWanted(podUid: string) {
    const { wanted } = operation as Extract<VolumeOperation, { wanted: unknown }>;
    const { plugin, spec } = wanted.resolved;
    return { volumeName: wanted.volumeName, podUid, plugin, spec };
  }
}
