import { sha256 } from '@nodeagent/api/helpers';
import type { ResourceRegistry } from '../registry/registry.js';
import type { ApiRequest, ApiResponse } from '../requests/request.js';

/** A serialized document and its entity tag. */
interface CachedDocument {
  text: string;
  hash: string;
}

/** Documents about the served resources, serialized once until a CustomResourceDefinition changes. */
export class DiscoveryDocuments {
  readonly registry: ResourceRegistry;
  readonly #cache = new Map<string, CachedDocument | undefined>();
  #revision = -1;

  constructor(registry: ResourceRegistry) {
    this.registry = registry;
  }

  /** The document with this name; undefined if `make` returns undefined. `seed`: what the hash covers, by default the text. */
  find(name: string, make: (registry: ResourceRegistry) => unknown, seed?: string): CachedDocument | undefined {
    if (this.#revision !== this.registry.revision) this.#cache.clear();
    this.#revision = this.registry.revision;
    if (this.#cache.has(name)) return this.#cache.get(name);
    const value = make(this.registry);
    const text = `${JSON.stringify(value)}\n`;
    const document = value === undefined ? undefined : { text, hash: sha256(seed ?? text).toUpperCase() };
    this.#cache.set(name, document);
    return document;
  }
}

/** The response with a document: 304 for a client that has it (RFC 9110, section 13.1.2). */
export function documentResponse({ headers }: ApiRequest, { text, hash }: CachedDocument, contentType = 'application/json'): ApiResponse {
  const etag = `"${hash}"`;
  const known = (headers?.['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  const validators = { etag, vary: 'Accept' };
  if (known.includes(etag) || known.includes('*')) return { status: 304, headers: validators, body: '' };
  return { status: 200, headers: { 'content-type': contentType, ...validators }, body: text };
}
