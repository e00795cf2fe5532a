import { type ControllerObjects, controllerManager, placeOf, type StoredObject } from '../controller-objects.js';
import type { EventWriter } from '../event-writer.js';
import type { Write, WriteFailure } from './objects.js';
import { writeEvent } from './workload-events.js';
import { claims, storages } from './workload-kinds.js';

/** All kinds that these controllers write. */
const written: Readonly<Record<string, string>> = {
  ...storages,
  Pod: '/pods',
  PersistentVolumeClaim: claims,
  ControllerRevision: 'apps/controllerrevisions',
};

/** Performs the writes of workloads, and reports them and what else happens in events about their owners. */
export class WorkloadWrites {
  readonly #objects: ControllerObjects;
  readonly #events: EventWriter;

  constructor(objects: ControllerObjects, events: EventWriter) {
    this.#objects = objects;
    this.#events = events;
  }

  /** Performs writes up to the first that fails; of creations of pods also those of the same batch. */
  perform(owner: StoredObject, writes: readonly Write[]): WriteFailure | undefined {
    const batchOf = owner.kind === 'StatefulSet' ? () => undefined : creationBatches();
    let failure: WriteFailure | undefined;
    let failedBatch: number | undefined;
    for (const write of writes) {
      const batch = batchOf(write);
      if (failure && (batch === undefined || batch !== failedBatch)) return failure;
      const storage = written[write.object.kind ?? ''] ?? '';
      const before = this.#stored(storage, write.object as unknown as StoredObject);
      const done = { write, before, name: write.object.metadata?.name ?? '' };
      let message: string | undefined;
      try {
        const stored = this.#write(storage, before, write);
        if (before !== owner) this.report(owner, writeEvent(owner, { ...done, name: stored?.metadata.name ?? done.name }));
      } catch (error) {
        message = error instanceof Error ? error.message : String(error);
        this.report(owner, writeEvent(owner, { ...done, error: message }));
      }
      if (message === undefined) continue;
      failure ??= { reason: write.verb === 'delete' ? 'FailedDelete' : 'FailedCreate', message };
      failedBatch = batch;
    }
    return failure;
  }

  report(owner: StoredObject, event: ReturnType<typeof writeEvent>): void {
    if (event) this.#events.write(owner, event, controllerManager);
  }

  #write(storage: string, before: StoredObject | undefined, { verb, object, propagationPolicy }: Write): StoredObject | undefined {
    const content = object as unknown as StoredObject;
    const { namespace = '' } = content.metadata;
    if (verb === 'create') return this.#objects.create(storage, content, { ...controllerManager, namespace });
    if (before === undefined) return undefined;
    if (verb === 'delete') this.#objects.delete(storage, before, propagationPolicy && { propagationPolicy });
    else
      this.#objects.replace(storage, before, content, { ...controllerManager, ...(verb === 'updateStatus' && { subresource: 'status' }) });
    return before;
  }

  #stored(storage: string, object: StoredObject): StoredObject | undefined {
    const { namespace, name } = placeOf(storage, object);
    return this.#objects.get(storage, namespace, name);
  }
}

/** The number of the batch of each creation of a pod: as in a cluster 1, 2, 4 and so on are attempted together. */
function creationBatches(): (write: Write) => number | undefined {
  let created = 0;
  return ({ verb, object }) => (verb === 'create' && object.kind === 'Pod' ? Math.floor(Math.log2(++created)) : undefined);
}
