import {
  type Channel,
  type Clock,
  createChannel,
  type EventRecorder,
  errorHint,
  errorMessage,
  formatPod,
  noEvents,
  type Pod,
  type PodConfigUpdate,
  type PodListHandler,
  podReference,
  systemClock,
} from '@nodeagent/api';
import { requireText } from '../errors.js';
import { createPodCompleter, type PodOrigin } from '../manifest/complete-pod.js';
import { mergeSource, type PodConfigState } from './merge-source.js';

export interface PodConfigOptions {
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now'>;
  /** Told of pods that are left out. Default: nobody. */
  recorder?: EventRecorder;
}

/** The pods of all sources as one ordered stream of changes. */
export interface PodConfig {
  /**
   * The changes, one merge after the other, at most 50. The lists of sources wait while it is full, of each source only the newest;
   * they are merged as soon as the consumer has taken enough.
   */
  readonly updates: Pick<Channel<PodConfigUpdate>, 'capacity' | 'size' | 'poll' | 'onOffer'>;
  /**
   * Registers a source and answers what takes its complete lists. Asking twice for one source registers it once. With the name of the node,
   * pods get what they lack (see `completePod`): for sources other than an API server, which has filled it in.
   */
  channel(source: string, nodeName?: string): PodListHandler;
  /**
   * Whether every registered source has spoken and been heard: its list is merged, and `seenBySyncLoop` (the sources of which the
   * consumer has handled an update) has it. Until then it is not known which pods are unwanted.
   */
  seenAllSources(seenBySyncLoop: ReadonlySet<string>): boolean;
}

const capacity = 50;
/** One merge gives at most one update of each kind. */
const maxUpdates = 5;

export function createPodConfig({ clock = systemClock, recorder = noEvents }: PodConfigOptions = {}): PodConfig {
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

  /** A pod that cannot be completed is left out. */
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
