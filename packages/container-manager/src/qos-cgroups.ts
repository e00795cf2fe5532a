import type { Logger, Pod } from '@nodeagent/api';
import { type CgroupName, childCgroup } from '@nodeagent/api/helpers';
import type { CgroupManager, CgroupResources } from '@nodeagent/cgroups';
import { type QosCgroup, type QosCgroupSettings, qosCgroupResources } from './qos-resources.js';

/** The cgroups of the QoS classes below that of all pods. */
export interface QosCgroups {
  /** Creates the missing ones. */
  create(): Promise<void>;
  /**
   * Writes the values of the QoS classes: all, or those that changed since they were last written. Updates run one after the other; calls
   * during an update share the next one. A failure is logged; the next update retries.
   */
  update(which: 'all' | 'changed'): Promise<void>;
  /** Resolves when no update is running. */
  idle(): Promise<void>;
}

export interface QosCgroupsOptions {
  cgroups: CgroupManager;
  /** The cgroup of all pods. */
  podsRoot: CgroupName;
  activePods(): Iterable<Pod>;
  settings: QosCgroupSettings;
  logger: Logger;
}

const qosGroups: readonly QosCgroup[] = ['burstable', 'besteffort'];
type UpdatedCgroup = QosCgroup | 'all';

export function createQosCgroups(options: QosCgroupsOptions): QosCgroups {
  return new SharedCgroups(options);
}

class SharedCgroups implements QosCgroups {
  readonly #options: QosCgroupsOptions;
  /** The values that were written last, as text. */
  readonly #written = new Map<UpdatedCgroup, string>();
  #lastUpdate = Promise.resolve();
  #pendingUpdate: Promise<void> | undefined;

  constructor(options: QosCgroupsOptions) {
    this.#options = options;
  }

  async create(): Promise<void> {
    const { cgroups } = this.#options;
    const resources = this.#resources();
    for (const group of qosGroups) {
      const name = this.#nameOf(group);
      // After a restart the pods are not known yet: the shares of the previous run stay until the first update.
      if (!(await cgroups.exists(name))) await cgroups.create(name, resources[group]);
    }
  }

  update(which: 'all' | 'changed'): Promise<void> {
    if (this.#pendingUpdate !== undefined) return this.#pendingUpdate;
    const update = this.#lastUpdate.then(() => {
      this.#pendingUpdate = undefined;
      return this.#write(which);
    });
    this.#pendingUpdate = update;
    this.#lastUpdate = update;
    return update;
  }

  idle(): Promise<void> {
    return this.#lastUpdate;
  }

  #resources(): Record<UpdatedCgroup, CgroupResources> {
    return qosCgroupResources(this.#options.activePods(), this.#options.settings);
  }

  #nameOf(group: UpdatedCgroup): CgroupName {
    const { podsRoot } = this.#options;
    return group === 'all' ? podsRoot : childCgroup(podsRoot, group);
  }

  async #write(which: 'all' | 'changed'): Promise<void> {
    const resources = this.#resources();
    for (const group of ['all', ...qosGroups] as const) {
      const values = JSON.stringify(resources[group], (_, value) => (typeof value === 'bigint' ? `${value}` : value));
      if (values === '{}' || (which === 'changed' && this.#written.get(group) === values)) continue;
      try {
        await this.#writeGroup(this.#nameOf(group), resources[group]);
        this.#written.set(group, values);
      } catch (error) {
        this.#written.delete(group);
        this.#options.logger.warn({ err: error }, `failed to update the cgroup of ${group} pods; the next update retries`);
      }
    }
  }

  /** A memory limit below the usage can fail: the limit is then the usage, so that it does not grow. */
  async #writeGroup(name: CgroupName, resources: CgroupResources): Promise<void> {
    const { cgroups } = this.#options;
    try {
      await cgroups.update(name, resources);
    } catch (error) {
      const usage = resources.memory === undefined ? undefined : await cgroups.memoryUsage(name);
      if (usage === undefined || usage <= (resources.memory ?? 0)) throw error;
      await cgroups.update(name, { ...resources, memory: usage });
    }
  }
}
