import type { Pod } from '@nodeagent/api';
import { defineEndpoint } from '../endpoint.js';
import { nothingBelow, service } from '../endpoint-path.js';
import { podList } from '../handlers/pod-list.js';
import { answerJson } from '../http/answers.js';
import type { RunningPod } from '../ports.js';
import { debugging } from '../route-switches.js';

const asPod = ({ uid, name, namespace, containers }: RunningPod): Pod => ({
  metadata: { name, namespace, uid },
  spec: { containers: containers.map((container) => ({ ...container })) },
  status: {},
});

/** `/runningpods/`: the pods that run, as the runtime reports them. */
export const runningPodsEndpoint = defineEndpoint({
  name: 'runningpods',
  path: service('/runningpods', nothingBelow),
  methods: ['GET'],
  authorization: ['pods', 'proxy'],
  label: 'runningpods',
  isLongRunning: false,
  enabledBy: [debugging],
  handle: ({ runningPods }) =>
    runningPods && (async ({ response, signal }) => answerJson(response, podList((await runningPods(signal)).map(asPod)))),
});
