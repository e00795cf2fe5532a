import type { StoreEvent } from './store-event.js';

/** Consecutive changes which `make` returns when they are needed, because few clients ask for them. */
interface LateChanges {
  /** Of the last change. */
  revision: number;
  count: number;
  make(): StoreEvent[];
}

type Entry = StoreEvent | LateChanges;

/** The last changes of a store, in the order of their revisions. */
export class History {
  readonly #limit: number;
  #entries: Entry[] = [];
  #count = 0;
  #forgotten = 0;

  /** `limit`: minimum number of changes to keep. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Revision of the newest dropped change. */
  get forgotten(): number {
    return this.#forgotten;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    this.#count += countOf(entry);
    // Drop half of the changes at once, so that the cost of a change does not depend on the limit.
    if (this.#count > 2 * this.#limit) this.#dropOld();
  }

  /** The changes after a revision; undefined if some of them were dropped. */
  since(revision: number): StoreEvent[] | undefined {
    if (revision < this.#forgotten) return undefined;
    const first = firstAfter(this.#entries, revision);
    const events = this.#entries.slice(first).flatMap((entry) => ('make' in entry ? entry.make() : entry));
    return events.slice(firstAfter(events, revision));
  }

  /** Drops the changes up to a revision, the newest one. */
  forget(revision: number): void {
    this.#entries = [];
    this.#count = 0;
    this.#forgotten = revision;
  }

  #dropOld(): void {
    let [dropped, count] = [0, this.#count];
    for (const entry of this.#entries) {
      if (count - countOf(entry) < this.#limit) break;
      count -= countOf(entry);
      dropped++;
    }
    this.#forgotten = this.#entries.splice(0, dropped).at(-1)?.revision ?? this.#forgotten;
    this.#count = count;
  }
}

const countOf = (entry: Entry) => ('make' in entry ? entry.count : 1);

/** Index of the first entry that ends after a revision, by binary search. */
function firstAfter(entries: readonly Entry[], revision: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.revision ?? 0) > revision) high = middle;
    else low = middle + 1;
  }
  return low;
}
