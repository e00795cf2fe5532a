import {
  type Channel,
  type Clock,
  createChannel,
  type EventRecorder,
  errorHint,
  errorMessage,
  noEvents,
  type Pod,
  type PodConfigUpdate,
  type PodListHandler,
  systemClock,
} from '@nodeagent/api';
import { formatPod, podReference } from '@nodeagent/api/helpers';
import { requireText } from '../errors.js';
import { createPodCompleter, type PodOrigin } from '../manifest/complete-pod.js';
import { mergeSource, type PodConfigState } from './merge-source.js';

export interface PodConfigOptions {
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now'>;
  /** Receives events about omitted pods. Default: none. */
  recorder?: EventRecorder;
}

/** The pods of all sources as one ordered stream of changes. */
export interface PodConfig {
  /** The changes in order, at most 50. While it is full, the newest list of each source is kept, and merged as soon as there is room. */
  readonly updates: Pick<Channel<PodConfigUpdate>, 'capacity' | 'size' | 'poll' | 'onOffer'>;
  /**
   * Registers a source and returns the handler of its lists. Idempotent per source. With `nodeName`, pods are completed (see
   * `completePod`), as sources other than the API server require.
   */
  channel(source: string, nodeName?: string): PodListHandler;
  /**
   * Whether all registered sources are ready: their first lists are merged, and `seenBySyncLoop` (the sources with an update handled by the
   * consumer) contains them. Until then the desired pods are incomplete.
   */
  seenAllSources(seenBySyncLoop: ReadonlySet<string>): boolean;
}

const capacity = 50;
/** One merge causes at most one update of each operation. */
const maxUpdates = 5;

export function createPodConfig(options: PodConfigOptions = {}): PodConfig {
  const { clock = systemClock, recorder = noEvents } = options;
  const updates = createChannel<PodConfigUpdate>(capacity);
  const sources = new Set<string>();
  const waiting = new Map<string, Pod[]>();
  let state: PodConfigState = new Map();
  let merging = false;

  const mergeWaiting = () => {
    if (merging) return;
    merging = true;
    try {
      for (const [source, pods] of waiting) {
        if (updates.capacity - updates.size < maxUpdates) break;
        waiting.delete(source);
        const merged = mergeSource(state, source, pods, clock.now());
        state = merged.state;
        for (const { object, reason, message } of merged.warnings) recorder.event(object, 'Warning', reason, message);
        for (const update of merged.updates) updates.offer(update);
      }
    } finally {
      merging = false;
    }
  };

  /** Omits a pod that cannot be completed. */
  const completer = (origin: PodOrigin) => {
    const complete = createPodCompleter(origin);
    return (pods: readonly Pod[]) =>
      pods.flatMap((pod) => {
        try {
          return [complete(pod)];
        } catch (error) {
          const message = `Error validating pod ${formatPod(pod)} from ${origin.source} due to ${errorMessage(error)}, ignoring`;
          recorder.event(podReference(pod), 'Warning', 'FailedValidation', message, undefined, errorHint(error));
          return [];
        }
      });
  };

  return {
    updates: {
      capacity,
      get size() {
        return updates.size;
      },
      poll() {
        const update = updates.poll();
        mergeWaiting();
        return update;
      },
      get onOffer() {
        return updates.onOffer;
      },
      set onOffer(listener) {
        updates.onOffer = listener;
      },
    },
    channel(source, nodeName) {
      requireText('source', source);
      sources.add(source);
      const completePods = nodeName === undefined ? undefined : completer({ source, nodeName });
      return (pods) => {
        waiting.set(source, completePods?.(pods) ?? pods);
        mergeWaiting();
      };
    },
    seenAllSources: (seenBySyncLoop) => [...sources].every((source) => seenBySyncLoop.has(source) && state.has(source)),
  };
}
