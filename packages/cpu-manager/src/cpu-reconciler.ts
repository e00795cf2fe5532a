import { createRunLoop, errorMessage, type Pod, type Startable } from '@nodeagent/api';
import type { CpuSet } from '@nodeagent/api/helpers';
import type { CpuState } from './cpu-state.js';
import type { ReconcileExplanation } from './explain.js';
import type { ResolvedOptions } from './options.js';
import { type CpuUpdate, planCpuUpdates } from './reconcile.js';

/** Gives running containers the CPUs of the state, periodically. */
export interface CpuReconciler extends Startable {
  /** The last complete round. */
  readonly lastReconcile: ReconcileExplanation | undefined;
  /** Records the CPUs that a container was given. */
  setLastCpus(podUID: string, containerName: string, cpus: CpuSet): void;
  forgetPodsExcept(active: ReadonlyMap<string, unknown>): void;
}

interface CpuReconcilerOptions
  extends Pick<ResolvedOptions, 'activePods' | 'podStatus' | 'updateContainerCpuset' | 'reconcilePeriodMs' | 'clock' | 'logger'> {
  currentState(): CpuState;
  /** Called before each round. */
  removeStaleState(): Promise<void>;
}

export function createCpuReconciler(options: CpuReconcilerOptions): CpuReconciler {
  return new Reconciler(options);
}

class Reconciler implements CpuReconciler {
  readonly #options: CpuReconcilerOptions;
  readonly #loop = createRunLoop((signal) => this.#run(signal));
  /** The CPUs that each container was given last, by pod UID and container name. */
  readonly #lastCpus = new Map<string, Map<string, CpuSet>>();
  #lastReconcile: ReconcileExplanation | undefined;

  constructor(options: CpuReconcilerOptions) {
    this.#options = options;
  }

  get lastReconcile(): ReconcileExplanation | undefined {
    return this.#lastReconcile;
  }

  start(signal?: AbortSignal): Promise<void> {
    return this.#loop.start(signal);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  setLastCpus(podUID: string, containerName: string, cpus: CpuSet): void {
    this.#lastCpus.set(podUID, (this.#lastCpus.get(podUID) ?? new Map<string, CpuSet>()).set(containerName, cpus));
  }

  forgetPodsExcept(active: ReadonlyMap<string, unknown>): void {
    for (const podUID of this.#lastCpus.keys()) if (!active.has(podUID)) this.#lastCpus.delete(podUID);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, logger, reconcilePeriodMs } = this.#options;
    while (!signal.aborted) {
      await this.#reconcile(signal).catch((error) => logger.error({ err: error }, 'cpu manager: failed to reconcile'));
      await clock.sleep(reconcilePeriodMs, signal).catch(() => {});
    }
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    await this.#options.removeStaleState();
    const result: ReconcileExplanation = { at: this.#options.clock.now(), updated: 0, failures: [] };
    const fail = ({ podUID, containerName }: CpuUpdate, reason: string) => result.failures.push({ podUID, containerName, reason });
    for (const pod of this.#options.activePods()) {
      for (const each of this.#plan(pod)) {
        if (signal.aborted) return;
        if (each.action === 'fail') fail(each, each.reason ?? '');
        if (each.action !== 'update') continue;
        try {
          await this.#update(each);
          result.updated++;
        } catch (error) {
          const { podUID, containerName } = each;
          this.#options.logger.error({ podUID, containerName, err: error }, 'ReconcileState: failed to update container');
          fail(each, errorMessage(error));
        }
      }
    }
    this.#lastReconcile = result;
  }

  /** Planned pod by pod, because an allocation during an update changes the shared pool. */
  #plan(pod: Pod): CpuUpdate[] {
    const { currentState, podStatus } = this.#options;
    const lastCpus = (podUID: string, name: string) => this.#lastCpus.get(podUID)?.get(name);
    return planCpuUpdates({ state: currentState(), pods: [pod], podStatus, lastCpus });
  }

  async #update({ podUID, containerName, containerId = '', cpus }: CpuUpdate): Promise<void> {
    const { logger, updateContainerCpuset } = this.#options;
    logger.debug({ podUID, containerName, containerID: containerId, cpuSet: cpus.toString() }, 'Updating container');
    await updateContainerCpuset(containerId, cpus);
    this.setLastCpus(podUID, containerName, cpus);
  }
}
