import { errorMessage } from '@nodeagent/api';
import { answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { NodePods, RunInContainer } from '../ports.js';
import type { PathTarget } from '../route.js';
import { findPod, hasUid } from './find-pod.js';

/** `/run/...`: the output comes as `application/json`, whatever it is, as from a kubelet. */
export const runHandler =
  (pods: NodePods, run: RunInContainer): Handler<PathTarget> =>
  async ({ response, query, signal }, { container, uid, ...name }) => {
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
