import type { Logger, ObjectReference } from '@nodeagent/api';
import { podKey } from '@nodeagent/api/helpers';
import type { RecordedEvent } from '@nodeagent/core/node';
import type { ViewedAgent } from './agent-view.js';
import { type ContainerTermination, containerTerminations } from './container-terminations.js';

/** Events that announce or repeat another one; logged at level debug. */
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

/**
 * Logs the events of an agent: pod events, phases, terminated containers, removed pods, and the state of the runtime and of the API server.
 */
export function logAgent(agent: ViewedAgent, logger: Logger): void {
  const known = new Map<string, { phase: string; endings: ContainerTermination[] }>();
  agent.on('event', (event) => logEvent(logger, event));
  agent.on('status', (pod, status) => {
    const uid = pod.metadata?.uid ?? '';
    const before = known.get(uid);
    const { phase = 'Pending' } = status;
    const endings = containerTerminations(status);
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
    if (reason === undefined) logger.info('the API server is reachable');
    else logger.warn(`${reason}; pods keep running`);
  });
}

/** The subject at the start of a text line. */
function subjectOf({ namespace, name, fieldPath }: ObjectReference): { subject: string; containerName: string | undefined } {
  const path = `${namespace ? `${namespace}/` : ''}${name}`;
  const containerName = /\{(.+)\}$/.exec(fieldPath ?? '')?.[1];
  return { subject: containerName === undefined ? path : `${path}/${containerName}`, containerName };
}
