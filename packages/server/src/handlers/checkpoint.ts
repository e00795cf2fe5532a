import { errorMessage, findContainer } from '@nodeagent/api';
import { answerJson, answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { CheckpointContainer, NodePods } from '../ports.js';
import type { PathTarget } from '../route.js';
import { findPod } from './find-pod.js';

/** `/checkpoint/NAMESPACE/POD/CONTAINER`: Kubernetes documentation, Kubelet Checkpoint API. */
export const checkpointHandler =
  (pods: NodePods, checkpoint: CheckpointContainer): Handler<PathTarget> =>
  async ({ response, query, signal }, { namespace, pod: name, container }) => {
    const pod = findPod(pods, { namespace, pod: name });
    if (pod === undefined) return answerText(response, 404, 'pod does not exist');
    if (findContainer(pod, container) === undefined) return answerText(response, 404, `container ${container} does not exist`);
    const timeout = query.getAll('timeout').at(-1) ?? '0';
    if (!/^[+-]?[0-9]{1,18}$/.test(timeout)) return answerText(response, 404, 'cannot parse value of timeout parameter');
    try {
      answerJson(response, JSON.stringify({ items: [await checkpoint(pod, container, BigInt(timeout.replace('+', '')), signal)] }));
    } catch (error) {
      signal.throwIfAborted();
      answerText(response, 500, `checkpointing of ${namespace}/${name}/${container} failed (${errorMessage(error)})`);
    }
  };
