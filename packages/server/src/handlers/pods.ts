import type { Pod } from '@nodeagent/api';
import { answerJson } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { NodePods, RunningPod } from '../ports.js';

/** `/pods` */
export const podsHandler =
  ({ pods }: NodePods): Handler =>
  ({ response }) =>
    answerJson(response, podList(pods()));

/** `/runningpods/` */
export const runningPodsHandler =
  (runningPods: (signal: AbortSignal) => Promise<readonly RunningPod[]>): Handler =>
  async ({ response, signal }) =>
    answerJson(response, podList((await runningPods(signal)).map(asPod)));

const podList = (items: readonly Pod[]) => JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

const asPod = ({ uid, name, namespace, containers }: RunningPod): Pod => ({
  metadata: { name, namespace, uid },
  spec: { containers: containers.map((container) => ({ ...container })) },
  status: {},
});
