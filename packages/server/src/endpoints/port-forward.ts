import { defineEndpoint } from '../endpoint.js';
import { type PathTarget, podTarget, service } from '../endpoint-path.js';
import { findPod, hasUid } from '../handlers/find-pod.js';
import { readPorts } from '../handlers/read-ports.js';
import { relayTo, type StreamPorts } from '../handlers/stream.js';
import { answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { NodeStreaming } from '../ports.js';
import { debugging } from '../route-switches.js';

function portForwardHandler(ports: StreamPorts, streaming: NodeStreaming): Handler<{ target: PathTarget }> {
  return async (exchange, { target }) => {
    const { request, response, query, signal } = exchange;
    const wanted = readPorts(request.headers, query);
    if ('error' in wanted) return answerText(response, 400, wanted.error);
    const pod = findPod(ports.pods, target);
    if (pod === undefined) return answerText(response, 404, 'pod does not exist');
    if (!hasUid(ports.pods, pod, target.uid)) return answerText(response, 404, 'pod not found');
    await relayTo(ports, exchange, () => streaming.portForwardUrl(pod, wanted.ports, signal));
  };
}

/** `/portForward/NAMESPACE/POD[/UID]`. */
export const portForwardEndpoint = defineEndpoint({
  name: 'portForward',
  path: service('/portForward', podTarget),
  methods: ['GET', 'POST'],
  authorization: ['proxy'],
  requiresCreate: true,
  label: 'portForward',
  isLongRunning: false,
  enabledBy: [debugging],
  handle: ({ streaming, ...ports }) => streaming && portForwardHandler(ports, streaming),
});
