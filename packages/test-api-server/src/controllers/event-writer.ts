import type { ObjectMeta } from '@nodeagent/api';
import { type ApiContext, timestamp, type WriteOptions } from '../context.js';
import type { ControllerEvent } from '../node-lifecycle/cluster-store.js';
import { createObject } from '../operations/create.js';

/** The subject of an event. */
interface Subject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** Writes the events of all controllers of a server. */
export class EventWriter {
  readonly #context: ApiContext;
  #written = 0;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Events about objects without a namespace are in `default`. */
  write({ apiVersion, kind, metadata = {} }: Subject, event: ControllerEvent, writer: WriteOptions): void {
    const definition = this.#context.registry.storedForm('/events');
    if (definition === undefined) return;
    const { namespace, name = '', uid, resourceVersion } = metadata;
    const { component, type, reason, message } = event;
    const now = timestamp(this.#context);
    const object = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${this.#suffix()}` },
      involvedObject: { apiVersion, kind, ...(namespace && { namespace }), name, uid, resourceVersion },
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
    };
    createObject(this.#context, definition, object, { ...writer, namespace: namespace ?? 'default' });
  }

  /**
   * Nanoseconds, as in the names of other events, so that lists are in order of time. Half a millisecond early, because a node's
   * first event of the pod may be in the same millisecond and must have another name.
   */
  #suffix(): string {
    return (BigInt(this.#context.clock.now()) * 1_000_000n - 500_000n + BigInt(this.#written++ % 400_000)).toString(16);
  }
}
