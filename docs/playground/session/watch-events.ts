import type { TestCluster } from '@nodeagent/test-cluster';
import type { ControllerEvent } from './timeline-recorder.js';

interface EventObject {
  reason?: string;
  message?: string;
  type?: string;
  source?: { component?: string };
  reportingComponent?: string;
  involvedObject?: { kind?: string; namespace?: string; name?: string };
}

/** Reports the events that the scheduler and controllers write, until the signal. */
export async function watchEvents(
  server: TestCluster['server'],
  onEvent: (event: ControllerEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const url = '/api/v1/events?watch=true&fieldSelector=source!=kubelet';
  const { body } = await server.handle({ url, signal });
  if (typeof body === 'string') return;
  const decoder = new TextDecoder();
  for await (const piece of body)
    for (const line of (typeof piece === 'string' ? piece : decoder.decode(piece)).split('\n')) {
      if (line === '') continue;
      const { type, object } = JSON.parse(line) as { type: string; object: EventObject };
      if (type === 'ADDED' || type === 'MODIFIED') onEvent(eventOf(object));
    }
}

function eventOf({
  reason = '',
  message = '',
  type = 'Normal',
  source,
  reportingComponent,
  involvedObject = {},
}: EventObject): ControllerEvent {
  const { kind = '', namespace = 'default', name = '' } = involvedObject;
  return { component: source?.component || reportingComponent || 'controller', reason, message, type, object: { kind, namespace, name } };
}
