import { type Clock, errorMessage, type Pod } from '@nodeagent/api';
import { parseTime } from '@nodeagent/api/helpers';
import { chooseLogContainer } from '../choose-log-container.js';
import { type PodLogOptions, parseContainerLogsRequest } from '../container-logs-request.js';
import { defineEndpoint } from '../endpoint.js';
import { containerTarget, type PathTarget, service } from '../endpoint-path.js';
import { findPod } from '../handlers/find-pod.js';
import { answerText, beginAnswer, refuse, writePieces } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { LogReadRequest, NodeLogs, NodePods } from '../ports.js';
import { debugging } from '../route-switches.js';

/**
 * Creates the handler of `/containerLogs`. An error before the log is read gives status 400; then the response starts with status 200, and
 * an error is appended to its text.
 */
export function containerLogsHandler(nodePods: NodePods, logs: NodeLogs, clock: Clock): Handler<{ target: PathTarget }> {
  const statusOf = (pod: Pod | undefined) => pod && (nodePods.podStatus?.(pod) ?? pod.status);
  return async ({ response, query, signal }, { target }) => {
    const pod = findPod(nodePods, target);
    const { pod: podName, container: containerName } = target;
    const wanted = parseContainerLogsRequest({ podName, containerName, query, pod });
    if (!('options' in wanted)) return refuse(response, wanted);
    const { options, stdout, stderr } = wanted;
    const chosen = chooseLogContainer({ podName, containerName, status: statusOf(pod), previous: options.previous === true });
    if ('error' in chosen) return answerText(response, 400, chosen.error);
    beginAnswer(response);
    try {
      const streams = stdout && stderr ? 'All' : stdout ? 'Stdout' : 'Stderr';
      await writePieces(response, logs.read(chosen.containerId, { ...readRequest(options, clock.now()), streams, signal }), signal);
      response.end();
    } catch (error) {
      if (signal.aborted) response.destroy();
      else response.end(errorMessage(error));
    }
  };
}

function readRequest(options: PodLogOptions, now: number): Omit<LogReadRequest, 'streams' | 'signal'> {
  const { follow, tailLines, limitBytes, timestamps } = options;
  const since = sinceTime(options, now);
  return {
    ...(follow && { follow }),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(timestamps && { timestamps }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
  };
}

/** Milliseconds; a time before 1970 is ignored, because all log entries are later. */
function sinceTime({ sinceSeconds, sinceTime }: PodLogOptions, now: number): number | undefined {
  const since = sinceSeconds === undefined ? parseTime(sinceTime) : now - sinceSeconds * 1_000;
  return since !== undefined && since > 0 ? since : undefined;
}

/** `/containerLogs/NAMESPACE/POD/CONTAINER`. */
export const containerLogsEndpoint = defineEndpoint({
  name: 'containerLogs',
  path: service('/containerLogs', containerTarget),
  methods: ['GET'],
  authorization: ['proxy'],
  label: 'containerLogs',
  isLongRunning: false,
  enabledBy: [debugging],
  handle: ({ pods, logs, clock }) => logs && containerLogsHandler(pods, logs, clock),
});
