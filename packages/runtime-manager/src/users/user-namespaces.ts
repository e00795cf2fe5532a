import { NodeAgentError, type Pod } from '@nodeagent/api';
import { isObject, join, podUid } from '@nodeagent/api/helpers';
import type { UserNamespace } from '@nodeagent/cri-api';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { PodFiles } from '../files.js';
import { createIdRanges, defaultIdsPerPod, type IdBlock, type IdRanges } from './id-ranges.js';

export interface UserNamespacesOptions {
  files: Pick<PodFiles, 'makeDirectory' | 'readText' | 'writeFile' | 'remove'>;
  /** The pod's folder: `<root>/pods/<uid>`. */
  podDir(uid: string): string;
  /** The pods that have a folder. */
  listPods(): Promise<readonly string[]>;
  /** Number of ids for each pod (`userNamespaces.idsPerPod`), a multiple of 65536. Default 65536. */
  idsPerPod?: number;
  /** The node's ids for pods, such as those of the user `kubelet` in /etc/subuid and /etc/subgid. Default: all from `idsPerPod` on. */
  ids?: IdBlock;
}

/** The user namespaces of the node's pods. */
export interface UserNamespaces {
  /**
   * The pod's ids on the node: the allocated ones, also from before a restart, or new ones. No other pod has the same ids. Rejects with
   * `UserNamespaceError` if no ids are free, or if a file of a previous agent is damaged.
   */
  mappings(pod: Pod): Promise<UserNamespace>;
  /**
   * Releases the ids of all other pods. Rejects if a file cannot be removed; that pod then keeps its ids until the next call.
   */
  retain(podUids: ReadonlySet<string>): Promise<void>;
}

/**
 * Allocates a separate range of ids to each pod and stores it in `<podDir>/userns`, as a kubelet does. Throws `InvalidOption`.
 * Kubernetes documentation, "User Namespaces" (KEP-127).
 */
export function createUserNamespaces(options: UserNamespacesOptions): UserNamespaces {
  return new StoredNamespaces(options);
}

class StoredNamespaces implements UserNamespaces {
  readonly #options: UserNamespacesOptions;
  readonly #ranges: IdRanges;
  /** First ids of pods, stored on disk or being written. */
  readonly #pods = new Map<string, Promise<number>>();
  /** First ids of deleted pods whose files are not removed yet. */
  readonly #releasing = new Map<string, number>();
  #loaded: Promise<void> | undefined;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(options: UserNamespacesOptions) {
    this.#options = options;
    this.#ranges = createIdRanges(options.idsPerPod ?? defaultIdsPerPod, options.ids);
  }

  async mappings(pod: Pod): Promise<UserNamespace> {
    await this.#load();
    const uid = podUid(pod);
    const ids = mapping(await (this.#pods.get(uid) ?? this.#allocateOnce(uid)), this.#ranges.length);
    return { mode: 'POD', uids: [ids], gids: [ids] };
  }

  retain(podUids: ReadonlySet<string>): Promise<void> {
    const removed = [...this.#pods].filter(([uid]) => !podUids.has(uid));
    for (const [uid] of removed) this.#pods.delete(uid);
    return this.#serially(async () => {
      for (const [uid, allocated] of removed) {
        const first = await allocated.catch(() => undefined);
        if (first !== undefined) this.#releasing.set(uid, first);
      }
      for (const [uid, first] of this.#releasing) {
        await this.#options.files.remove(this.#fileOf(uid));
        this.#releasing.delete(uid);
        this.#ranges.release(first);
      }
    });
  }

  /** Reads the files of previous agents once; a failed attempt is repeated by the next call. */
  #load(): Promise<void> {
    this.#loaded ??= this.#readFiles().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #readFiles(): Promise<void> {
    for (const uid of await this.#options.listPods()) {
      const file = this.#fileOf(uid);
      const text = await this.#options.files.readText(file);
      if (text === undefined || this.#pods.has(uid)) continue;
      const first = firstId(text, this.#ranges.length);
      if (first === undefined) throw failed(`cannot read the user namespace of pod ${uid} from ${file}`);
      if (!this.#ranges.claim(first))
        throw failed(`the user namespace of pod ${uid} has ids that are out of range or in use: ${first} and up`);
      this.#pods.set(uid, Promise.resolve(first));
    }
  }

  #allocateOnce(uid: string): Promise<number> {
    const first = this.#serially(() => this.#allocate(uid));
    this.#pods.set(uid, first);
    first.catch(() => this.#pods.get(uid) === first && this.#pods.delete(uid));
    return first;
  }

  async #allocate(uid: string): Promise<number> {
    const kept = this.#releasing.get(uid);
    this.#releasing.delete(uid);
    if (kept !== undefined) return kept;
    const first = this.#ranges.take();
    if (first === undefined) throw failed('no free ids for the user namespace of another pod');
    const { files } = this.#options;
    try {
      await files.makeDirectory(this.#options.podDir(uid), 0o750);
      await files.writeFile(this.#fileOf(uid), fileText(first, this.#ranges.length), 0o644);
      return first;
    } catch (error) {
      this.#ranges.release(first);
      throw error;
    }
  }

  /** Writes and removals run one at a time, so that a pod does not lose its file to the removal for an earlier pod with its UID. */
  #serially<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => {});
    return result;
  }

  #fileOf(uid: string): string {
    return join(this.#options.podDir(uid), 'userns');
  }
}

const mapping = (hostId: number, length: number) => ({ hostId, containerId: 0, length });

function fileText(first: number, length: number): string {
  const ids = [mapping(first, length)];
  return JSON.stringify({ uidMappings: ids, gidMappings: ids });
}

/** The first id in a pod's file; undefined unless the file is as {@link fileText} writes it. */
function firstId(text: string, length: number): number | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(content)) return undefined;
  const [users, groups] = [content.uidMappings, content.gidMappings].map((list) => onlyMapping(list, length));
  return users !== undefined && users === groups ? users : undefined;
}

function onlyMapping(list: unknown, length: number): number | undefined {
  const entry: unknown = Array.isArray(list) && list.length === 1 ? list[0] : undefined;
  if (!isObject(entry) || entry.containerId !== 0 || entry.length !== length) return undefined;
  return typeof entry.hostId === 'number' ? entry.hostId : undefined;
}

function failed(message: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.userNamespace, message, { retryable: true });
}
