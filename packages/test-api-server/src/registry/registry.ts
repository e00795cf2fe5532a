import type { ServedResource } from './resource.js';

const keyOf = (group: string, version: string, resource: string) => `${group}/${version}/${resource}`;

/** The resources of a server; those of CustomResourceDefinitions are added and removed. */
export class ResourceRegistry {
  readonly #byKey = new Map<string, ServedResource>();
  /** What was found since the last change: most requests look for the same few resources. */
  readonly #found = new Map<string, ServedResource>();

  /** Counts changes, so that documents about the resources can be cached. */
  revision = 0;

  constructor(resources: readonly ServedResource[]) {
    for (const resource of resources) this.add(resource);
  }

  add(definition: ServedResource): void {
    this.#byKey.set(keyOf(definition.group, definition.version, definition.resource), definition);
    this.#changed();
  }

  /** Removes every version of a resource. */
  removeAll(group: string, resource: string): void {
    for (const [key, each] of this.#byKey) if (each.group === group && each.resource === resource) this.#byKey.delete(key);
    this.#changed();
  }

  #changed(): void {
    this.#found.clear();
    this.revision++;
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#byKey.get(keyOf(group, version, resource));
  }

  /** Finds a resource by its plural name, `resource.group` or kind; if ambiguous, the first one added. */
  findByName(name: string): ServedResource | undefined {
    return this.#find(
      `name ${name}`,
      ({ group, resource, kind }) => resource === name || kind === name || (group !== '' && `${resource}.${group}` === name),
    );
  }

  findByKind(group: string, version: string, kind: string): ServedResource | undefined {
    return this.#find(
      `kind ${keyOf(group, version, kind)}`,
      (each) => each.group === group && each.version === version && each.kind === kind,
    );
  }

  /** Finds any version of a kind, for references with another version. */
  findByGroupKind(group: string, kind: string): ServedResource | undefined {
    return this.#find(`kind ${group}/${kind}`, (each) => each.group === group && each.kind === kind);
  }

  /** The definition of the stored form: the first one of its storage. */
  storedForm(storage: string): ServedResource | undefined {
    return this.#find(`storage ${storage}`, (each) => each.storage === storage);
  }

  #find(key: string, matches: (definition: ServedResource) => boolean): ServedResource | undefined {
    const known = this.#found.get(key);
    if (known) return known;
    for (const definition of this.#byKey.values()) {
      if (!matches(definition)) continue;
      this.#found.set(key, definition);
      return definition;
    }
    return undefined;
  }

  /** In the order they were added. */
  list(): ServedResource[] {
    return [...this.#byKey.values()];
  }
}
