import { errorMessage } from '@nodeagent/api';
import { findContainer } from '@nodeagent/api/helpers';
import { defineEndpoint } from '../endpoint.js';
import { containerTarget, type PathTarget, service } from '../endpoint-path.js';
import { findPod } from '../handlers/find-pod.js';
import { answerJson, answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { CheckpointContainer, NodePods } from '../ports.js';
import { registeredForDebugging } from '../route-switches.js';

const checkpointHandler =
  (pods: NodePods, checkpoint: CheckpointContainer): Handler<{ target: PathTarget }> =>
  async ({ response, query, signal }, { target: { namespace, pod: name, container } }) => {
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

/** `/checkpoint/NAMESPACE/POD/CONTAINER`: Kubernetes documentation, Kubelet Checkpoint API. */
export const checkpointEndpoint = defineEndpoint({
  name: 'checkpoint',
  path: service('/checkpoint', containerTarget),
  methods: ['POST'],
  authorization: ['checkpoint'],
  label: 'checkpoint',
  isLongRunning: false,
  enabledBy: [registeredForDebugging],
  handle: ({ pods, checkpoint }) => checkpoint && checkpointHandler(pods, checkpoint),
});
