import {
  type Clock,
  type Informer,
  type InformerSource,
  type KubeObject,
  type Logger,
  type ObjectChange,
  type Pod,
  type PodSource,
  type PodSpec,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import { requireText } from '../errors.js';
import { podProblem } from './pod-problem.js';

export interface ApiServerSourceOptions {
  nodeName: string;
  /** Creates the informer of the node's pods. */
  pods: InformerSource<Pod>;
  /** The informer of the Node: pods are listed only after its first list. Default: none, pods are listed immediately. */
  nodeSynced?: Pick<Informer<KubeObject>, 'hasSynced' | 'onChange'>;
  /** Default: the system clock. */
  clock?: Pick<Clock, 'setTimeout'>;
  logger?: Logger;
}

/** The source of the node's pods in the API server. */
export interface ApiServerSource extends PodSource {
  readonly name: 'api';
  /** The local copy of the API server's pods, including mirror pods; started and stopped with the source. */
  readonly informer: Informer<Pod>;
}

/**
 * The source `api`: list and watch of the pods bound to the node. Emits nothing before the first list; then each change emits the whole
 * list: new pods at the end of the message that has them, other changes at the end of a turn of the event loop, combined. It always emits a pod with its deletion timestamp before it emits the
 * removal, so that the grace period is known. {@link PodSource.start} does not wait for an unreachable API server.
 */
export function createApiServerSource(options: ApiServerSourceOptions): ApiServerSource {
  const { nodeName, pods, nodeSynced, clock = systemClock, logger = silentLogger } = options;
  requireText('nodeName', nodeName);
  const informer = pods.informer({ fieldSelector: `spec.nodeName=${nodeName}` }, { problemOf: podProblem });
  let run: { stop(): void } | undefined;

  const startRun = (signal: AbortSignal | undefined) => {
    let timer: Timer | undefined;
    let isEmitting = false;
    let isListing = false;
    let isStopped = false;
    let stopNodes = () => {};
    const emitPods = () => {
      timer?.cancel();
      timer = undefined;
      source.onPods?.(informer.list().map(withContainers));
    };
    /** After the other changes of the same message. */
    const emitNext = () => {
      if (isEmitting) return;
      isEmitting = true;
      queueMicrotask(() => {
        isEmitting = false;
        if (!isStopped) emitPods();
      });
    };
    const changed = (change: ObjectChange<Pod> | undefined) => {
      if (!informer.hasSynced) return;
      if (change && requestsDeletion(change)) emitPods();
      else if (change && change.old === undefined) emitNext();
      else timer ??= clock.setTimeout(emitPods, 0);
    };
    const list = () => {
      if (isListing) return;
      isListing = true;
      stopNodes();
      informer.start(signal).catch((error) => logger.error({ err: error }, 'failed to watch the pods of this node'));
    };
    const stopPods = informer.onChange(changed);
    changed(undefined);
    if (nodeSynced === undefined || nodeSynced.hasSynced) list();
    else {
      stopNodes = nodeSynced.onChange(() => {
        if (nodeSynced.hasSynced) list();
      });
    }
    const onAbort = () => void source.stop();
    signal?.addEventListener('abort', onAbort, { once: true });
    return {
      stop() {
        isStopped = true;
        signal?.removeEventListener('abort', onAbort);
        stopNodes();
        stopPods();
        timer?.cancel();
      },
    };
  };

  const source: ApiServerSource = {
    name: 'api',
    informer,
    onPods: undefined,
    async start(signal) {
      if (!signal?.aborted) run ??= startRun(signal);
    },
    async stop() {
      run?.stop();
      run = undefined;
      await informer.stop();
    },
  };
  return source;
}

/**
 * Adds an empty container list if it is missing. All code relies on that list; a validating API server always sets it, and a pod without it
 * must not affect other pods.
 */
function withContainers(pod: Pod): Pod {
  const { spec } = pod;
  const hasContainers = spec === undefined || (spec.containers as PodSpec['containers'] | undefined) !== undefined;
  return hasContainers ? pod : { ...pod, spec: { ...spec, containers: [] } };
}

/** Whether deletion of the pod was requested, or requested again with another grace period. */
function requestsDeletion({ old, object }: ObjectChange<Pod>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object?.metadata ?? {};
  return !!deletionTimestamp && deletionGracePeriodSeconds !== old?.metadata?.deletionGracePeriodSeconds;
}
