import { join } from 'node:path';
import { checkOptionNames, isObject, NodeAgentError, type OptionNames, type Pod, podUid } from '@nodeagent/api';
import type { UserNamespace } from '@nodeagent/cri-api';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { PodFiles } from '../files.js';
import { createIdRanges, defaultIdsPerPod, type IdBlock } from './id-ranges.js';

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

const optionNames: OptionNames<UserNamespacesOptions> = { files: true, podDir: true, listPods: true, idsPerPod: true, ids: true };

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
  checkOptionNames('createUserNamespaces', options, optionNames);
  const { files } = options;
  const ranges = createIdRanges(options.idsPerPod ?? defaultIdsPerPod, options.ids);
  const fileOf = (uid: string) => join(options.podDir(uid), 'userns');
  /** First ids of pods, stored on disk or being written. */
  const pods = new Map<string, Promise<number>>();
  /** First ids of deleted pods whose files are not removed yet. */
  const releasing = new Map<string, number>();
  let loaded: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** Writes and removals run one at a time, so that a pod does not lose its file to the removal for an earlier pod with its UID. */
  const serially = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };

  async function load(): Promise<void> {
    for (const uid of await options.listPods()) {
      const text = await files.readText(fileOf(uid));
      if (text === undefined || pods.has(uid)) continue;
      const first = firstId(text, ranges.length);
      if (first === undefined) throw failed(`cannot read the user namespace of pod ${uid} from ${fileOf(uid)}`);
      if (!ranges.claim(first)) throw failed(`the user namespace of pod ${uid} has ids that are out of range or in use: ${first} and up`);
      pods.set(uid, Promise.resolve(first));
    }
  }
  const ready = () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };

  async function allocate(uid: string): Promise<number> {
    const kept = releasing.get(uid);
    releasing.delete(uid);
    if (kept !== undefined) return kept;
    const first = ranges.take();
    if (first === undefined) throw failed('no free ids for the user namespace of another pod');
    try {
      await files.makeDirectory(options.podDir(uid), 0o750);
      await files.writeFile(fileOf(uid), fileText(first, ranges.length), 0o644);
      return first;
    } catch (error) {
      ranges.release(first);
      throw error;
    }
  }

  function allocateOnce(uid: string): Promise<number> {
    const first = serially(() => allocate(uid));
    pods.set(uid, first);
    first.catch(() => pods.get(uid) === first && pods.delete(uid));
    return first;
  }

  return {
    async mappings(pod) {
      await ready();
      const uid = podUid(pod);
      const ids = mapping(await (pods.get(uid) ?? allocateOnce(uid)), ranges.length);
      return { mode: 'POD', uids: [ids], gids: [ids] };
    },
    retain(podUids) {
      const removed = [...pods].filter(([uid]) => !podUids.has(uid));
      for (const [uid] of removed) pods.delete(uid);
      return serially(async () => {
        for (const [uid, allocated] of removed) {
          const first = await allocated.catch(() => undefined);
          if (first !== undefined) releasing.set(uid, first);
        }
        for (const [uid, first] of releasing) {
          await files.remove(fileOf(uid));
          releasing.delete(uid);
          ranges.release(first);
        }
      });
    },
  };
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
