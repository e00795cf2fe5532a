const podUidLabel = 'io.kubernetes.pod.uid';

interface Labelled {
  id: string;
  config: { labels?: Record<string, string> };
}

/** Sandboxes or containers in the order of their creation. Indexed by pod: an agent lists those of one pod several times for each sync. */
export class RecordStore<T extends Labelled> {
  readonly #byId = new Map<string, T>();
  readonly #byPod = new Map<string | undefined, Set<T>>();

  get(id: string): T | undefined {
    return this.#byId.get(id);
  }

  values(): Iterable<T> {
    return this.#byId.values();
  }

  /** The records to which a label selector can apply: those of the pod that it names, otherwise all. */
  candidates(labelSelector: Record<string, string> = {}): Iterable<T> {
    const uid = labelSelector[podUidLabel];
    return uid === undefined ? this.values() : (this.#byPod.get(uid) ?? []);
  }

  add(record: T): void {
    this.#byId.set(record.id, record);
    const uid = podUidOf(record);
    const ofPod = this.#byPod.get(uid);
    if (ofPod === undefined) this.#byPod.set(uid, new Set([record]));
    else ofPod.add(record);
  }

  /** Does nothing if the record is not stored. */
  delete(record: T): void {
    this.#byId.delete(record.id);
    const uid = podUidOf(record);
    const ofPod = this.#byPod.get(uid);
    ofPod?.delete(record);
    if (ofPod?.size === 0) this.#byPod.delete(uid);
  }
}

const podUidOf = ({ config }: Labelled) => config.labels?.[podUidLabel];
