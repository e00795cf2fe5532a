import type { Clock, Timer } from '@nodeagent/api';
import { equalJson, formatResourceList } from '@nodeagent/api/helpers';
import type { ApiObject } from '../../objects.js';
import type { ResourceRegistry } from '../../registry/registry.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { StoreEvent } from '../../store/store-event.js';
import { usageOf } from './measure.js';
import { amountsOf, quotaSpecOf, quotaStatusOf } from './quota.js';
import { isInScope } from './scopes.js';
import { addUsage, only, type Usage } from './usage.js';

const quotas = '/resourcequotas';

/** The controller manager's `--resource-quota-sync-period`. */
const syncPeriodMs = 300_000;

/**
 * Keeps the status of quotas: what they limit, and what the objects of their namespace use. The usage is computed from all objects when a quota
 * or its limits change, afterwards by the changes of the objects. It is written after the change that causes it, and at the latest when it is
 * needed. Every five minutes all quotas are counted again, which restores a status that a client wrote.
 */
export class QuotaStatus {
  readonly #store: ObjectStore;
  readonly #registry: ResourceRegistry;
  readonly #clock: Clock;
  #resync: Timer | undefined;
  /** Changes that are not yet in a status. */
  #changes: StoreEvent[] = [];
  /** The revision of which a quota, by its UID, counts all objects. */
  readonly #countedAt = new Map<string, number>();
  readonly #stop: () => void;

  constructor(store: ObjectStore, registry: ResourceRegistry, clock: Clock) {
    this.#store = store;
    this.#registry = registry;
    this.#clock = clock;
    this.#stop = store.onEvent((event) => this.#see(event));
  }

  /** Writes the statuses that have changed. */
  settle(): void {
    for (let changes = this.#changes; changes.length > 0; changes = this.#changes) {
      this.#changes = [];
      for (const change of changes) this.#apply(change);
    }
  }

  /** Counts all objects again at the next change of a quota's namespace, after changes without events. */
  resync(): void {
    this.#changes = [];
    this.#countedAt.clear();
  }

  stop(): void {
    this.#stop();
    this.#resync?.cancel();
    this.#changes = [];
  }

  #see(event: StoreEvent): void {
    const { storage, object } = event;
    const { namespace } = object.metadata;
    const concerns = storage === quotas ? hasNewLimits(event) : namespace !== undefined && this.#store.list(quotas, namespace).length > 0;
    if (!concerns) return;
    if (this.#changes.length === 0) queueMicrotask(() => this.settle());
    this.#changes.push(event);
  }

  #apply(event: StoreEvent): void {
    const { namespace, name, uid = '' } = event.object.metadata;
    if (event.storage === quotas) {
      this.#countedAt.delete(uid);
      this.#resync ??= this.#clock.setTimeout(() => this.#countAll(), syncPeriodMs);
    }
    for (const quota of this.#store.list(quotas, namespace)) {
      const countedAt = this.#countedAt.get(quota.metadata.uid ?? '');
      if (countedAt === undefined || (event.storage === quotas && quota.metadata.name === name)) this.#count(quota);
      else if (event.revision > countedAt) this.#add(quota, changeFor(quota, event));
    }
  }

  #countAll(): void {
    this.settle();
    const all = this.#store.list(quotas);
    for (const quota of all) this.#count(quota);
    this.#resync = all.length > 0 ? this.#clock.setTimeout(() => this.#countAll(), syncPeriodMs) : undefined;
  }

  /** Counts all objects of the namespace. */
  #count(quota: ApiObject): void {
    const { namespace, uid = '' } = quota.metadata;
    const storages = new Set(this.#registry.list().flatMap(({ namespaced, storage }) => (namespaced ? [storage] : [])));
    let total: Usage = new Map();
    for (const storage of storages) {
      for (const object of this.#store.list(storage, namespace)) total = addUsage(total, counted(quota, storage, object));
    }
    this.#countedAt.set(uid, this.#store.revision);
    this.#write(quota, total);
  }

  #add(quota: ApiObject, change: Usage): void {
    if ([...change.values()].some(({ isZero }) => !isZero)) this.#write(quota, addUsage(amountsOf(quotaStatusOf(quota).used), change));
  }

  #write(quota: ApiObject, used: Usage): void {
    const { hard = {} } = quotaSpecOf(quota);
    const status = { hard: { ...hard }, used: formatResourceList(only(used, Object.keys(hard))) };
    if (!equalJson(status, quota.status ?? null)) this.#store.put(quotas, { ...quota, status });
  }
}

function hasNewLimits({ type, object, previous }: StoreEvent): boolean {
  if (type !== 'MODIFIED' || previous === undefined) return true;
  return !equalJson(quotaSpecOf(object), quotaSpecOf(previous));
}

function counted(quota: ApiObject, storage: string, object: ApiObject | undefined): Usage {
  return object && isInScope(storage, object, quotaSpecOf(quota)) ? usageOf(storage, object) : new Map();
}

/** The change of a quota's usage by a change of an object. */
function changeFor(quota: ApiObject, { type, storage, object, previous }: StoreEvent): Usage {
  const before = counted(quota, storage, previous);
  return addUsage(type === 'DELETED' ? new Map() : counted(quota, storage, object), before, -1);
}
