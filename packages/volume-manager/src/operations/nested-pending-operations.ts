import type { Clock } from '@nodeagent/api';
import { afterFailure, type ExponentialBackoff } from '@nodeagent/api/helpers';
import { operationBackOff, operationExists } from './operation-errors.js';
import { isSafeToRetry } from './retry-time.js';

/** The object of an operation; an empty pod or node matches any. */
export interface OperationKey {
  volumeName: string;
  podUid: string;
  nodeName: string;
}

/** A started operation. */
export interface RunningOperation {
  readonly key: OperationKey;
  /** Finishes the operation, successfully if `error` is undefined. Returns the back-off after a failure. */
  finish(error?: unknown): ExponentialBackoff | undefined;
}

/** Allows one operation at a time on a volume, and applies exponential back-off to failed ones. */
export interface NestedPendingOperations {
  /**
   * Throws `OperationAlreadyExists` while an operation on the key is running, and `OperationBackOff` while one of the same name is in
   * back-off. An operation of another name starts at once and resets the back-off.
   */
  begin(key: OperationKey, operationName: string): RunningOperation;
  isPending(key: OperationKey): boolean;
  /** Whether {@link NestedPendingOperations.begin} would not throw. */
  isSafeToRetry(key: OperationKey, operationName: string): boolean;
}

interface Entry {
  key: OperationKey;
  operationName: string;
  pending: boolean;
  backoff: ExponentialBackoff | undefined;
  /** Position in the order of all operations. */
  position: number;
}

/** Without `backOffOnError` a failed operation can be repeated at once. */
export function createNestedPendingOperations(options: {
  clock: Pick<Clock, 'now' | 'monotonic'>;
  backOffOnError?: boolean;
}): NestedPendingOperations {
  const { clock, backOffOnError = true } = options;
  /** In the kubelet's order: the last entry replaces one that is removed. */
  const order: Entry[] = [];
  const byVolume = new Map<string, Set<Entry>>();

  /** Of the matching entries: the running one, else the one with the same key, else the first. */
  const find = (key: OperationKey): Entry | undefined => {
    if (key.volumeName === '') return undefined;
    const matching = [...(byVolume.get(key.volumeName) ?? [])].filter((entry) => matches(entry.key, key));
    if (matching.length > 1) matching.sort((a, b) => a.position - b.position);
    return matching.find(({ pending }) => pending) ?? matching.find((entry) => isSame(entry.key, key)) ?? matching[0];
  };

  const add = (entry: Entry) => {
    order.push(entry);
    const { volumeName } = entry.key;
    byVolume.set(volumeName, (byVolume.get(volumeName) ?? new Set()).add(entry));
  };

  const remove = (entry: Entry) => {
    const last = order.pop();
    if (last !== undefined && last !== entry) {
      order[entry.position] = last;
      last.position = entry.position;
    }
    const entries = byVolume.get(entry.key.volumeName);
    entries?.delete(entry);
    if (entries?.size === 0) byVolume.delete(entry.key.volumeName);
  };

  return {
    begin(key, operationName) {
      let entry = find(key);
      if (entry?.pending) throw operationExists(operationKeyText(key));
      if (entry === undefined) {
        entry = { key, operationName, pending: true, backoff: undefined, position: order.length };
        add(entry);
      } else {
        const now = clock.monotonic();
        if (!isSafeToRetry(entry.backoff, now)) {
          if (entry.backoff && entry.operationName === operationName)
            throw operationBackOff(operationKeyText(key), entry.backoff, now, clock.now());
          entry.operationName = operationName;
          entry.backoff = undefined;
        }
        entry.key = key;
        entry.pending = true;
      }
      const running = entry;
      return {
        key,
        finish(error) {
          if (error === undefined || !backOffOnError) {
            remove(running);
            return undefined;
          }
          running.backoff = afterFailure(running.backoff, error, clock.monotonic());
          running.pending = false;
          return running.backoff;
        },
      };
    },
    isPending: (key) => find(key)?.pending ?? false,
    isSafeToRetry(key, operationName) {
      const entry = find(key);
      if (entry === undefined) return true;
      if (entry.pending) return false;
      return entry.operationName !== operationName || isSafeToRetry(entry.backoff, clock.monotonic());
    },
  };
}

/** The key's text in the kubelet's messages. */
export function operationKeyText({ volumeName, podUid, nodeName }: OperationKey): string {
  return `{volumeName:${volumeName} podName:${podUid} nodeName:${nodeName}}`;
}

function matches(a: OperationKey, b: OperationKey): boolean {
  const agree = (x: string, y: string) => x === y || x === '' || y === '';
  return agree(a.podUid, b.podUid) && agree(a.nodeName, b.nodeName);
}

function isSame(a: OperationKey, b: OperationKey): boolean {
  return a.podUid === b.podUid && a.nodeName === b.nodeName;
}
