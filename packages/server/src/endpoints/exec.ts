import { defineEndpoint } from '../endpoint.js';
import { containerTargetWithUid, service } from '../endpoint-path.js';
import { streamHandler } from '../handlers/stream.js';
import { debugging } from '../route-switches.js';

/** `/exec/NAMESPACE/POD[/UID]/CONTAINER`. */
export const execEndpoint = defineEndpoint({
  name: 'exec',
  path: service('/exec', containerTargetWithUid),
  methods: ['GET', 'POST'],
  authorization: ['proxy'],
  requiresCreate: true,
  label: 'exec',
  isLongRunning: true,
  enabledBy: [debugging],
  handle: ({ streaming, ...ports }) =>
    streaming &&
    streamHandler(ports, (pod, container, streams, { query, signal }) =>
      streaming.execUrl(pod, container, query.getAll('command'), streams, signal),
    ),
});
