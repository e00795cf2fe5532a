import type { Logger } from '@nodeagent/api';
import { type CacheEntry, cacheEntryName, decodeCacheEntry, encodeCacheEntry } from './cache-entry.js';

/** A folder of small texts. Calls for different names may run concurrently. */
export interface TextStore {
  names(): Promise<string[]>;
  /** Undefined if there is none of that name. */
  read(name: string): Promise<string | undefined>;
  /** Replaces the text atomically; once resolved, it survives a power failure. */
  write(name: string, text: string): Promise<void>;
  /** Idempotent. */
  remove(name: string): Promise<void>;
}

/** Where attachments are kept. */
export interface ResultStores {
  /** Attachments whose ADD has succeeded: the cache of the CNI specification. */
  results: TextStore;
  /** Attachments whose ADD has started: after a kill, DEL undoes what the plugins did by then. */
  attempts: TextStore;
}

/** The key of an attachment. */
export interface AttachmentKey {
  network: string;
  containerId: string;
  ifName: string;
}

export interface ResultCache {
  /** Records that ADD begins. */
  begin(entry: CacheEntry): Promise<void>;
  /** Records the result of ADD. */
  save(entry: CacheEntry): Promise<void>;
  /** The attachment's entry; without a result if ADD did not finish. A damaged one counts as none. */
  find(key: AttachmentKey): Promise<CacheEntry | undefined>;
  remove(key: AttachmentKey): Promise<void>;
  /** The entries of a container, or all, each once. */
  list(containerId?: string): Promise<CacheEntry[]>;
}

const nameOf = ({ network, containerId, ifName }: AttachmentKey) => cacheEntryName(network, containerId, ifName);
const keyOf = ({ network, containerId, ifName }: CacheEntry) => ({ network: network.name, containerId, ifName });

export function createResultCache({ results, attempts }: ResultStores, logger: Logger): ResultCache {
  async function read(store: TextStore, name: string): Promise<CacheEntry | undefined> {
    const text = await store.read(name);
    if (text === undefined) return undefined;
    try {
      return decodeCacheEntry(name, text);
    } catch (error) {
      logger.warn({ entry: name, err: error }, 'ignoring a damaged entry of the CNI cache');
      return undefined;
    }
  }

  const entryOf = async (name: string) => (await read(results, name)) ?? (await read(attempts, name));

  return {
    begin: (entry) => attempts.write(nameOf(keyOf(entry)), encodeCacheEntry(entry)),
    async save(entry) {
      await results.write(nameOf(keyOf(entry)), encodeCacheEntry(entry));
      await attempts.remove(nameOf(keyOf(entry)));
    },
    find: (key) => entryOf(nameOf(key)),
    async remove(key) {
      await results.remove(nameOf(key));
      await attempts.remove(nameOf(key));
    },
    async list(containerId) {
      const names = new Set([...(await results.names()), ...(await attempts.names())]);
      const chosen = [...names].filter((name) => containerId === undefined || name.includes(`-${containerId}-`)).sort();
      const entries = await Promise.all(chosen.map(entryOf));
      return entries.filter(
        (entry) => entry !== undefined && (containerId === undefined || entry.containerId === containerId),
      ) as CacheEntry[];
    },
  };
}
