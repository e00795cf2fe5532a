import type { Clock, Pod, PodLifecycleEvent, PodRuntimeStatus, PodWorkers, ProbeUpdate, TimelineEntry, TimelineKind } from '@nodeagent/api';
import { isPodConditionTrue, podUid } from '@nodeagent/api/helpers';
import type { ImageService } from '@nodeagent/cri-api';
import { terminationText } from '@nodeagent/pod-view';
import type { EventEmitter } from 'eventemitter3';
import type { NodeAgentEvents } from '../options/node-agent.js';
import type { SyncHandler } from '../pods/sync-loop.js';
import { configText, eventKind, probeText, runtimeContainerName, statusText, syncEntry } from './timeline-text.js';

export interface TimelineOptions {
  clock: Pick<Clock, 'now'>;
  /** Source of events and statuses, and receiver of `timeline` entries if it has listeners. */
  emitter: EventEmitter<NodeAgentEvents>;
  podByUid(uid: string): Pod | undefined;
  /** The runtime's last observed containers of the pod. */
  runtimeStatus(uid: string): PodRuntimeStatus | undefined;
}

/** Reports what happens on the node as a single sequence of entries. */
export interface Timeline {
  /** Wraps the handler to report its input first. */
  follow(handler: SyncHandler): SyncHandler;
  /** Wraps the image service to report removals. */
  followImages(images: ImageService): Pick<ImageService, 'listImages' | 'removeImage' | 'imageFsInfo'>;
  /** Called after a worker has finished a sync. */
  synced(uid: string, workers: Pick<PodWorkers, 'explain'>): void;
}

/** Does almost no work while `timeline` has no listeners. */
export function createTimeline({ clock, emitter, podByUid, runtimeStatus }: TimelineOptions): Timeline {
  const isWatched = () => emitter.listenerCount('timeline') > 0;
  const report: Report = (kind, text, pod, more = {}) => {
    emitter.emit('timeline', { time: clock.now(), kind, ...(pod && { pod: nameOf(pod) }), text, ...more });
  };
  listen(emitter, isWatched, report);
  const { lifecycle, probe } = createFollowers({ podByUid, runtimeStatus }, report);

  return {
    follow: (handler) => ({
      ...handler,
      handleConfigUpdate(update) {
        const { op, pods, source } = update;
        const text = configText(op, source);
        if (text !== undefined && isWatched()) for (const pod of pods) report('config', text, pod, { fields: { op, source } });
        return handler.handleConfigUpdate(update);
      },
      handlePodLifecycleEvent(event) {
        if (isWatched()) lifecycle(event);
        handler.handlePodLifecycleEvent(event);
      },
      handleProbeUpdate(update) {
        if (isWatched()) probe(update);
        handler.handleProbeUpdate(update);
      },
    }),
    followImages: (images) => ({
      listImages: (request, options) => images.listImages(request, options),
      imageFsInfo: (request, options) => images.imageFsInfo(request, options),
      async removeImage(request, options) {
        const answer = await images.removeImage(request, options);
        const image = request.image?.image ?? '';
        if (isWatched()) report('gc', `image ${image} was removed`, undefined, { fields: { image } });
        return answer;
      },
    }),
    synced(uid, workers) {
      if (!isWatched()) return;
      const pod = podByUid(uid);
      const explanation = workers.explain(uid);
      if (explanation === undefined || pod === undefined) return;
      const entry = syncEntry(explanation);
      if (entry !== undefined) report('sync', entry.text, pod, entry);
    },
  };
}

type Report = (kind: TimelineKind, text: string, pod?: Pod, more?: Pick<TimelineEntry, 'warning' | 'fields'>) => void;

/** Reports the sync loop's input. */
function createFollowers({ podByUid, runtimeStatus }: Pick<TimelineOptions, 'podByUid' | 'runtimeStatus'>, report: Report) {
  const lifecycle = ({ type, podUid: uid, containerId }: PodLifecycleEvent) => {
    const pod = podByUid(uid);
    if (pod === undefined || type === 'PodSync' || type === 'ContainerChanged') return;
    const status = runtimeStatus(uid);
    const name = containerId === undefined ? undefined : runtimeContainerName(status, containerId);
    const fields = { event: type, ...(name !== undefined && { container: name }) };
    const isSandbox = status?.sandboxStatuses.some(({ id }) => id === containerId) === true;
    const what = name !== undefined ? `container ${name}` : isSandbox ? 'the sandbox' : 'an old container';
    if (type === 'ContainerStarted') report('lifecycle', `${what} started`, pod, { fields });
    else if (type === 'ContainerRemoved') report('gc', `${what} was removed`, pod, { fields });
    else {
      const died = status?.containerStatuses.find(({ id }) => id === containerId);
      const exitCode = died?.exitCode ?? 0;
      const text = `${what} ${died === undefined ? 'terminated' : terminationText(died)}`;
      report('lifecycle', text, pod, { warning: exitCode !== 0, fields: { ...fields, ...(died && { exitCode }) } });
    }
  };
  const probe = ({ type, podUid: uid, containerId, result }: ProbeUpdate) => {
    const pod = podByUid(uid);
    if (pod === undefined) return;
    const container = runtimeContainerName(runtimeStatus(uid), containerId.replace(/^.*:\/\//, ''));
    if (container === undefined) return;
    const warning = type === 'Liveness' && result !== 'Success';
    report('probe', probeText(type, container, result), pod, { warning, fields: { probe: type, result, container } });
  };
  return { lifecycle, probe };
}

/** Reports the agent's events. */
function listen(emitter: EventEmitter<NodeAgentEvents>, isWatched: () => boolean, report: Report): void {
  /** The last reported status of each pod. */
  const reportedStatus = new Map<string, string>();
  const connection = (what: string, errors: readonly string[]) => {
    if (!isWatched()) return;
    const works = errors.length === 0;
    report('node', works ? `the ${what} is reachable` : `the ${what}: ${errors.join('; ')}`, undefined, { warning: !works });
  };
  emitter.on('event', ({ at, object, type, reason, message }) => {
    if (!isWatched()) return;
    const { kind, uid = '', namespace = '', name = '' } = object;
    emitter.emit('timeline', {
      time: at,
      kind: eventKind(reason),
      ...(kind === 'Pod' && { pod: { uid, namespace, name } }),
      text: `${reason}: ${message}`,
      warning: type === 'Warning',
      fields: { reason },
    });
  });
  emitter.on('status', (pod, status) => {
    if (!isWatched()) return;
    const text = statusText(status);
    if (reportedStatus.get(podUid(pod)) === text) return;
    reportedStatus.set(podUid(pod), text);
    report('status', text, pod, {
      warning: status.phase === 'Failed',
      fields: { phase: status.phase ?? '', ready: isPodConditionTrue(status, 'Ready') },
    });
  });
  emitter.on('removed', (pod) => {
    reportedStatus.delete(podUid(pod));
    if (isWatched()) report('status', 'the pod is cleaned up', pod);
  });
  emitter.on('runtime', (errors) => connection('container runtime', errors));
  emitter.on('cluster', (error) => connection('API server', error === undefined ? [] : [error]));
}

function nameOf(pod: Pod): NonNullable<TimelineEntry['pod']> {
  return { uid: podUid(pod), namespace: pod.metadata?.namespace ?? '', name: pod.metadata?.name ?? '' };
}
