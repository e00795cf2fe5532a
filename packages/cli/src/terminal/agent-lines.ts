import { type Logger, type ObjectReference, podKey } from '@nodeagent/api';
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
  const { subject, containerName } = subjectOf(object);
  const isPod = object.kind === 'Pod';
  const { namespace = '', name = '' } = object;
  logger[level](
    {
      subject,
      pod: isPod ? podKey({ namespace, name }) : undefined,
      containerName,
      object: isPod ? undefined : `${object.kind?.toLowerCase()} ${subject}`,
      hint,
    },
    `${reason}: ${message}`,
  );
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
      logger.info({ pod: podKey(pod), containerName: container }, text);
    }
    if (before?.phase !== phase) logger.info({ pod: podKey(pod) }, `phase ${phase}`);
  });
  agent.on('removed', (pod) => {
    known.delete(pod.metadata?.uid ?? '');
    logger.info({ pod: podKey(pod) }, 'removed');
  });
  agent.on('runtime', ([reason]) => {
    if (reason === undefined) logger.info('container runtime ready');
    else logger.warn(`container runtime not ready: ${reason}`);
  });
  agent.on('cluster', (reason) => {
    if (reason === undefined) logger.info('the API server answers');
    else logger.warn(`${reason}; pods go on running`);
  });
}

/** What a line in text begins with. */
function subjectOf({ namespace, name, fieldPath }: ObjectReference): { subject: string; containerName: string | undefined } {
  const path = `${namespace ? `${namespace}/` : ''}${name}`;
  const containerName = /\{(.+)\}$/.exec(fieldPath ?? '')?.[1];
  return { subject: containerName === undefined ? path : `${path}/${containerName}`, containerName };
}
