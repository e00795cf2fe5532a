import { defineEndpoint } from '../endpoint.js';
import { pages } from '../endpoint-path.js';
import { answerJson } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import { registeredForDebugging } from '../route-switches.js';

const configzHandler =
  (configuration: () => object | Promise<object>): Handler =>
  async ({ response }) =>
    answerJson(response, JSON.stringify({ kubeletconfig: await configuration() }));

/** `/configz`: the configuration in force, with kind and version. */
export const configzEndpoint = defineEndpoint({
  name: 'configz',
  path: pages('/configz', { '/configz': {} }),
  methods: 'any',
  authorization: ['configz', 'proxy'],
  label: 'configz',
  isLongRunning: false,
  enabledBy: [registeredForDebugging],
  handle: ({ configz }) => configz && configzHandler(configz),
});
