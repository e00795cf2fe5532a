import { findContainer } from '@nodeagent/api/helpers';
import { defineEndpoint } from '../endpoint.js';
import { containerTargetWithUid, service } from '../endpoint-path.js';
import { streamHandler, withTerminal } from '../handlers/stream.js';
import { debugging } from '../route-switches.js';

/** `/attach/NAMESPACE/POD[/UID]/CONTAINER`. */
export const attachEndpoint = defineEndpoint({
  name: 'attach',
  path: service('/attach', containerTargetWithUid),
  methods: ['GET', 'POST'],
  authorization: ['proxy'],
  requiresCreate: true,
  label: 'attach',
  isLongRunning: true,
  enabledBy: [debugging],
  handle: ({ streaming, ...ports }) =>
    streaming &&
    streamHandler(
      ports,
      (pod, container, streams, { signal }) => streaming.attachUrl(pod, container, streams, signal),
      (pod, container, streams) => withTerminal(streams, findContainer(pod, container)?.tty === true),
    ),
});
