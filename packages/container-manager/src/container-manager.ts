import { createRunLoop, errorCode, NodeAgentError } from '@nodeagent/api';
import { type CgroupName, childCgroup, lockHolderText } from '@nodeagent/api/helpers';
import { containerManagerErrorCodes } from './errors.js';
import { ensureKernelSettings } from './kernel-settings.js';
import { createNodeAllocatable, type NodeAllocatable } from './node-allocatable.js';
import { podsCgroupLimits } from './node-resources.js';
import { type ContainerManagerOptions, type ResolvedOptions, resolveOptions } from './options.js';
import { createPodCgroups, type PodContainerManager } from './pod-cgroups.js';
import { createQosCgroups, type QosCgroups } from './qos-cgroups.js';
import type { QosCgroupSettings } from './qos-resources.js';

/** The cgroups of a node and its pods. */
export interface ContainerManager {
  /**
   * Creates the cgroups of all pods and of the QoS classes, locks them, enforces node allocatable, and updates the QoS classes every minute. Rejects
   * if another agent or a kubelet uses them, a reserved cgroup is missing, or a kernel setting is wrong and protected. If the machine's cgroups cannot be written, it logs a warning and
   * resolves: `isEnabled` is then false and pods run without separate cgroups. Idempotent; a failed start may be retried.
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Stops the updates. The cgroups stay. Idempotent. */
  stop(): Promise<void>;
  /** Whether pods have cgroups. False before `start`. */
  readonly isEnabled: boolean;
  /**
   * Updates the CPU shares and the memory values of the QoS classes: call it when pods start or end. Calls during an update share the next
   * one. A failure is logged; the next update retries.
   */
  updateQosCgroups(): Promise<void>;
  /** The cgroups of pods. Use them only if `isEnabled`. */
  readonly pods: PodContainerManager;
}

const updatePeriodMs = 60_000;
/** The errno values and codes of a machine on which the agent may not write cgroups. */
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'CgroupUnavailable']);

/** Creates the container manager. Does no I/O before `start`. Throws `InvalidOption`. */
export function createContainerManager(options: ContainerManagerOptions): ContainerManager {
  return new NodeCgroups(resolveOptions(options));
}

class NodeCgroups implements ContainerManager {
  readonly pods: PodContainerManager;
  readonly #options: ResolvedOptions;
  /** The cgroup of all pods. */
  readonly #podsRoot: CgroupName;
  readonly #qos: QosCgroups;
  readonly #allocatable: NodeAllocatable;
  readonly #loop = createRunLoop((signal) => this.#run(signal));
  /** Releases the lock of the cgroup of all pods; undefined while it is not held. */
  #unlock: (() => void) | undefined;
  #isEnabled = false;
  #isStarted = false;

  constructor(options: ResolvedOptions) {
    const podsRoot = childCgroup(options.cgroupRoot, 'kubepods');
    this.#options = options;
    this.#podsRoot = podsRoot;
    this.#qos = createQosCgroups({ ...options, podsRoot, settings: qosSettings(options) });
    this.#allocatable = createNodeAllocatable({ ...options, podsRoot });
    this.pods = createPodCgroups({
      ...options,
      podsRoot,
      settings: options,
      isExclusive: async () => this.#unlock !== undefined && (await options.findKubelet()) === undefined,
    });
  }

  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#isStarted) return;
    const kubelet = await this.#options.findKubelet();
    if (kubelet !== undefined) throw this.#inUse(`a kubelet, process ${kubelet.pid}`);
    const hasRoots = await this.#createRoots();
    if (hasRoots) await this.#lockRoot();
    await this.#setKernelSettings();
    this.#isEnabled = hasRoots;
    if (hasRoots) {
      await this.#allocatable.enforceReserved();
      await this.#loop.start(signal);
    }
    this.#isStarted = true;
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    await this.#loop.stop();
    await this.#qos.idle();
    this.#unlock?.();
    this.#unlock = undefined;
  }

  updateQosCgroups(): Promise<void> {
    return this.#isEnabled ? this.#qos.update('changed') : Promise.resolve();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const enforcement = this.#allocatable.enforcePods(signal);
    while (!signal.aborted) {
      await this.#options.clock.sleep(updatePeriodMs, signal).catch(() => {});
      if (!signal.aborted) await this.#qos.update('all');
    }
    await enforcement;
  }

  /** Whether the cgroups of all pods and of the QoS classes exist afterwards. */
  async #createRoots(): Promise<boolean> {
    const { cgroups, logger } = this.#options;
    try {
      if (!(await cgroups.exists(this.#podsRoot))) await cgroups.create(this.#podsRoot, this.#allocatable.podsResources());
      await this.#qos.create();
      return true;
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      logger.warn(
        { err: error },
        'cgroups cannot be written: pods run without separate cgroups and limits. Run the agent as root with a writable /sys/fs/cgroup.',
      );
      return false;
    }
  }

  /** Rejects if others run pods in the same cgroups. A lock that cannot be taken for another reason is logged. */
  async #lockRoot(): Promise<void> {
    const { cgroups, logger } = this.#options;
    try {
      this.#unlock ??= await cgroups.lock(this.#podsRoot, (holder) => this.#inUse(`another agent, ${lockHolderText(holder)}`));
    } catch (error) {
      if (errorCode(error) === containerManagerErrorCodes.cgroupRootInUse) throw error;
      logger.warn({ err: error }, 'cannot lock the cgroups of pods: a second agent with the same cgroup root is not refused');
    }
  }

  #inUse(what: string): NodeAgentError {
    const path = JSON.stringify(this.#options.cgroups.path(this.#podsRoot));
    return new NodeAgentError(containerManagerErrorCodes.cgroupRootInUse, `--cgroup-root: the cgroup ${path} is in use by ${what}`, {
      hint: 'Stop it, or give this agent another cgroup with --cgroup-root, and another root directory and runtime.',
    });
  }

  async #setKernelSettings(): Promise<void> {
    const { kernelSettings, protectKernelDefaults = false, logger } = this.#options;
    if (!kernelSettings) return;
    try {
      const changes = await ensureKernelSettings(kernelSettings, { protect: protectKernelDefaults });
      if (changes.length > 0) logger.info({ changes }, 'kernel settings changed');
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      logger.warn({ err: error }, 'kernel settings cannot be changed: set them as the documentation of protectKernelDefaults lists them');
    }
  }
}

function qosSettings(options: ResolvedOptions): QosCgroupSettings {
  const { hugePageSizes, memoryReservationPolicy, qosReservedMemoryPercent: percent } = options;
  const allocatableBytes = () => podsCgroupLimits(options).get('memory')?.value() ?? 0n;
  return {
    hugePageSizes,
    ...(memoryReservationPolicy && { memoryReservationPolicy }),
    ...(percent > 0 && { reservedMemory: { percent, allocatableBytes: allocatableBytes() } }),
  };
}

/** Whether an error, or its cause, means that the agent may not write there. */
function isUnwritable(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return [errorCode(error), errorCode(cause)].some((code) => code !== undefined && unwritable.has(code));
}
