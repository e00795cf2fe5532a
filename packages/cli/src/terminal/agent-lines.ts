import type { Logger, ObjectReference, Pod } from '@nodeagent/api';
import type { RecordedEvent } from '@nodeagent/core';
import type { ViewedAgent } from './agent-view.js';
import { type ContainerEnding, containerEndings } from './container-endings.js';

/** Events that only lead up to the next one or repeat the last one: they are for the debug level. */
const isDetail = (reason: string, message: string) =>
  reason === 'Created' ||
  (reason === 'Pulled' && message.includes('already present')) ||
  /^Error: (ErrImagePull|ImagePullBackOff)$/.test(message);

/** Logs an event of an agent: `default/web/app Started: Container started`. */
export function logEvent(logger: Logger, { object, type, reason, message, hint }: RecordedEvent): void {
  const level = isDetail(reason, message) ? 'debug' : type === 'Warning' ? 'warn' : 'info';
  logger[level]({ ...subjectOf(object), hint }, `${reason}: ${message}`);
}

/** Logs what happens to the pods of an agent: events, phases, containers that end, pods that are gone, the runtime's state and the API server's. */
export function logAgent(agent: ViewedAgent, logger: Logger): void {
  const known = new Map<string, { phase: string; endings: ContainerEnding[] }>();
  agent.on('event', (event) => logEvent(logger, event));
  agent.on('status', (pod, status) => {
    const uid = pod.metadata?.uid ?? '';
    const before = known.get(uid);
    const { phase = 'Pending' } = status;
    const endings = containerEndings(status);
    known.set(uid, { phase, endings });
    for (const ending of before === undefined ? [] : endings) {
      if (before?.endings.some(({ id }) => id === ending.id)) continue;
      const { container, text } = ending;
      logger.info({ ...podFields(pod), subject: `${podName(pod)}/${container}`, container }, text);
    }
    if (before?.phase !== phase) logger.info(podFields(pod), `phase ${phase}`);
  });
  agent.on('removed', (pod) => {
    known.delete(pod.metadata?.uid ?? '');
    logger.info(podFields(pod), 'removed');
  });
  agent.on('runtime', ([error]) => {
    if (error === undefined) logger.info('container runtime ready');
    else logger.warn(`container runtime not ready: ${error}`);
  });
  agent.on('cluster', (error) => {
    if (error === undefined) logger.info('the API server answers');
    else logger.warn(`${error}; pods go on running`);
  });
}

const podName = ({ metadata }: Pod) => `${metadata?.namespace}/${metadata?.name}`;

/** What a line about a pod has beside its text; in JSON lines `object` says what kind of thing it is about. */
export const podFields = (pod: Pod) => ({ subject: podName(pod), object: `pod ${podName(pod)}` });

function subjectOf({ kind, namespace, name, fieldPath }: ObjectReference): { subject: string; object: string; container?: string } {
  const path = `${namespace ? `${namespace}/` : ''}${name}`;
  const container = /\{(.+)\}$/.exec(fieldPath ?? '')?.[1];
  const object = `${kind?.toLowerCase()} ${path}`;
  return container === undefined ? { subject: path, object } : { subject: `${path}/${container}`, object, container };
}
