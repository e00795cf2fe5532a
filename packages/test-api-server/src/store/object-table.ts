import type { ApiObject } from '../objects.js';

/** The objects of one resource, by namespace: a change in one namespace does not affect the others. */
export class ObjectTable {
  readonly #shelves = new Map<string, Shelf>();
  /** Sorted names of namespaces; reset when one is added or removed. */
  #order: string[] | undefined;

  get size(): number {
    let size = 0;
    for (const { objects } of this.#shelves.values()) size += objects.size;
    return size;
  }

  get({ namespace = '', name }: { namespace?: string | undefined; name: string }): ApiObject | undefined {
    return this.#shelves.get(namespace)?.objects.get(name);
  }

  /** Adds or replaces an object; returns the previous one. */
  set(object: ApiObject): ApiObject | undefined {
    const { namespace = '', name = '' } = object.metadata;
    let shelf = this.#shelves.get(namespace);
    if (shelf === undefined) {
      shelf = { objects: new Map(), order: undefined };
      this.#shelves.set(namespace, shelf);
      this.#order = undefined;
    }
    const previous = shelf.objects.get(name);
    shelf.objects.set(name, object);
    if (previous === undefined) shelf.order = undefined;
    return previous;
  }

  delete({ metadata: { namespace = '', name = '' } }: ApiObject): void {
    const shelf = this.#shelves.get(namespace);
    if (!shelf?.objects.delete(name)) return;
    shelf.order = undefined;
    if (shelf.objects.size > 0) return;
    this.#shelves.delete(namespace);
    this.#order = undefined;
  }

  /** Sorted by namespace and name, as keys in etcd are; without a namespace those of all. */
  list(namespace?: string): ApiObject[] {
    if (namespace) return inOrder(this.#shelves.get(namespace));
    this.#order ??= [...this.#shelves.keys()].sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1));
    return this.#order.flatMap((each) => inOrder(this.#shelves.get(each)));
  }

  /** A table that can be changed without changing this one. */
  copy(): ObjectTable {
    const copy = new ObjectTable();
    for (const { objects } of this.#shelves.values()) for (const object of objects.values()) copy.set(object);
    return copy;
  }
}

interface Shelf {
  objects: Map<string, ApiObject>;
  /** Reset when an object is added or removed. */
  order: string[] | undefined;
}

function inOrder(shelf: Shelf | undefined): ApiObject[] {
  if (shelf === undefined) return [];
  shelf.order ??= [...shelf.objects.keys()].sort();
  return shelf.order.map((name) => shelf.objects.get(name) as ApiObject);
}
