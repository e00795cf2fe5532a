import { sha256 } from '@nodeagent/api/helpers';
import { ResourceRegistry } from '../registry/registry.js';
import type { ServedResource } from '../registry/resource.js';
import type { ApiRequest, ApiResponse } from '../requests/request.js';

/** A serialized document and its entity tag. */
interface CachedDocument {
  text: string;
  hash: string;
}

/** The priority of a group of this server. */
export function groupPriority(group: string, isCustom: boolean): number {
  if (isCustom) return 1000;
  return group === '' ? 18_000 : 17_800;
}

export interface GroupVersion {
  group: string;
  version: string;
}

/** Documents about the served resources, serialized once until a CustomResourceDefinition changes. */
export class DiscoveryDocuments {
  readonly registry: ResourceRegistry;
  readonly #cache = new Map<string, CachedDocument | undefined>();
  #revision = -1;

  /** Groups and versions of other servers that do not answer. */
  readonly stale: readonly GroupVersion[];

  constructor(registry: ResourceRegistry, stale: readonly GroupVersion[] = []) {
    this.registry = registry;
    this.stale = stale;
  }

  /** These documents with the groups of other servers, by their priority. */
  with(groups: readonly (GroupVersion & { priority: number; resources?: ServedResource[] })[]): DiscoveryDocuments {
    const priorities = new Map(groups.map(({ group, priority }) => [group, priority]));
    const priorityOf = ({ group, custom }: ServedResource) => priorities.get(group) ?? groupPriority(group, custom !== undefined);
    const resources = [...this.registry.list(), ...groups.flatMap((each) => each.resources ?? [])];
    resources.sort((a, b) => priorityOf(b) - priorityOf(a));
    const stale = groups.filter((each) => each.resources === undefined);
    return new DiscoveryDocuments(new ResourceRegistry(resources), stale);
  }

  /** The document with this name; undefined if `make` returns undefined. `seed`: what the hash covers, by default the text. */
  find(name: string, make: (registry: ResourceRegistry) => unknown, seed?: string): CachedDocument | undefined {
    if (this.#revision !== this.registry.revision) this.#cache.clear();
    this.#revision = this.registry.revision;
    if (this.#cache.has(name)) return this.#cache.get(name);
    const value = make(this.registry);
    const document = value === undefined ? undefined : newDocument(value, seed);
    this.#cache.set(name, document);
    return document;
  }
}

/** Serializes a document. `seed`: what its hash covers, by default the text. */
export function newDocument(value: unknown, seed?: string): CachedDocument {
  const text = `${JSON.stringify(value)}\n`;
  return { text, hash: sha256(seed ?? text).toUpperCase() };
}

/** The response with a document: 304 for a client that has it (RFC 9110, section 13.1.2). */
export function documentResponse({ headers }: ApiRequest, { text, hash }: CachedDocument, contentType = 'application/json'): ApiResponse {
  const etag = `"${hash}"`;
  const known = (headers?.['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  const validators = { etag, vary: 'Accept' };
  if (known.includes(etag) || known.includes('*')) return { status: 304, headers: validators, body: '' };
  return { status: 200, headers: { 'content-type': contentType, ...validators }, body: text };
}
