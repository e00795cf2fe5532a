import { errorMessage } from '@nodeagent/api';
import { defineEndpoint } from '../endpoint.js';
import { containerTargetWithUid, type PathTarget, service } from '../endpoint-path.js';
import { findPod, hasUid } from '../handlers/find-pod.js';
import { answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { NodePods, RunInContainer } from '../ports.js';
import { debugging } from '../route-switches.js';

/** The content type is always `application/json`, as in the kubelet. */
const runHandler =
  (pods: NodePods, run: RunInContainer): Handler<{ target: PathTarget }> =>
  async ({ response, query, signal }, { target: { container, uid, ...name } }) => {
    const pod = findPod(pods, name);
    if (pod === undefined) return answerText(response, 404, 'pod does not exist');
    if (!hasUid(pods, pod, uid)) return answerText(response, 500, `container not found (${JSON.stringify(container)})`);
    try {
      const output = await run(pod, container, (query.get('cmd') ?? '').split(' '), signal);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': output.length, 'x-content-type-options': 'nosniff' });
      response.end(output);
    } catch (error) {
      signal.throwIfAborted();
      answerText(response, 500, errorMessage(error));
    }
  };

/** `/run/NAMESPACE/POD[/UID]/CONTAINER`. */
export const runEndpoint = defineEndpoint({
  name: 'run',
  path: service('/run', containerTargetWithUid),
  methods: ['POST'],
  authorization: ['proxy'],
  requiresCreate: true,
  label: 'run',
  isLongRunning: false,
  enabledBy: [debugging],
  handle: ({ pods, runInContainer }) => runInContainer && runHandler(pods, runInContainer),
});
