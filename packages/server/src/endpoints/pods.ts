import { defineEndpoint } from '../endpoint.js';
import { nothingBelow, service } from '../endpoint-path.js';
import { podList } from '../handlers/pod-list.js';
import { answerJson } from '../http/answers.js';

/** `/pods`: the pods that the node should run. */
export const podsEndpoint = defineEndpoint({
  name: 'pods',
  path: service('/pods', nothingBelow),
  methods: ['GET'],
  authorization: ['pods', 'proxy'],
  label: 'pods',
  isLongRunning: false,
  enabledBy: [],
  handle:
    ({ pods: { pods } }) =>
    ({ response }) =>
      answerJson(response, podList(pods())),
});
