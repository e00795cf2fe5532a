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

export interface ApiServerSourceOptions {
  nodeName: string;
  /** Makes the informer of this node's pods. */
  pods: InformerSource<Pod>;
  /** The informer of the node itself, if there is one: pods are listed only once it has its first list. Default: they are listed at once. */
  nodeSynced?: Pick<Informer<KubeObject>, 'synced' | 'onChange'>;
  /** Default: the system clock. */
  clock?: Pick<Clock, 'setTimeout'>;
  logger?: Logger;
}

/** The pods that the API server has for this node. */
export interface ApiServerSource extends PodSource {
  readonly name: 'api';
  /** The copy of the pods as the API server has them, mirror pods among them; started and stopped with the source. */
  readonly informer: Informer<Pod>;
}

/**
 * The source `api`: list and watch of the pods bound to the node. Says nothing before the first list; then each change hands over the whole
 * list, changes of one turn of the event loop together; but that a pod is to be deleted is always told before it is gone, for the grace period
 * that it has. {@link PodSource.start} does not wait for an API server that is away.
 */
export function createApiServerSource(options: ApiServerSourceOptions): ApiServerSource {
  const { nodeName, pods, nodeSynced, clock = systemClock, logger = silentLogger } = options;
  requireText('nodeName', nodeName);
  const informer = pods.informer({ fieldSelector: `spec.nodeName=${nodeName}` });
  let run: { end(): void } | undefined;

  const begin = (signal: AbortSignal | undefined) => {
    let timer: Timer | undefined;
    let begun = false;
    let stopNodes = () => {};
    const handOver = () => {
      timer?.cancel();
      timer = undefined;
      source.onPods?.(informer.list().map(withContainers));
    };
    const changed = (change: ObjectChange<Pod> | undefined) => {
      if (!informer.synced) return;
      if (change && asksForDeletion(change)) handOver();
      else timer ??= clock.setTimeout(handOver, 0);
    };
    const list = () => {
      if (begun) return;
      begun = true;
      stopNodes();
      informer.start(signal).catch((error) => logger.error({ err: error }, 'following the pods of this node failed'));
    };
    const stopPods = informer.onChange(changed);
    changed(undefined);
    if (nodeSynced === undefined || nodeSynced.synced) list();
    else {
      stopNodes = nodeSynced.onChange(() => {
        if (nodeSynced.synced) list();
      });
    }
    const onAbort = () => void source.stop();
    signal?.addEventListener('abort', onAbort, { once: true });
    return {
      end() {
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
      if (!signal?.aborted) run ??= begin(signal);
    },
    async stop() {
      run?.end();
      run = undefined;
      await informer.stop();
    },
  };
  return source;
}

/**
 * The pod with a list of containers. It is the only list that everything takes for granted; an API server that validates has no pod without,
 * and one that has it must not stop the others.
 */
function withContainers(pod: Pod): Pod {
  const { spec } = pod;
  const hasContainers = spec === undefined || (spec.containers as PodSpec['containers'] | undefined) !== undefined;
  return hasContainers ? pod : { ...pod, spec: { ...spec, containers: [] } };
}

/** Whether the pod's deletion was asked for, or asked for again with another grace period. */
function asksForDeletion({ old, object }: ObjectChange<Pod>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object?.metadata ?? {};
  return !!deletionTimestamp && deletionGracePeriodSeconds !== old?.metadata?.deletionGracePeriodSeconds;
}
