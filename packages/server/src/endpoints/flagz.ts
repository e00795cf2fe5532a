import { defineEndpoint } from '../endpoint.js';
import { pages } from '../endpoint-path.js';
import type { Handler } from '../http/exchange.js';
import { answerZPage } from '../http/z-page.js';
import { registeredForDebugging } from '../route-switches.js';

const flagzHandler =
  (read: () => Readonly<Record<string, string>>): Handler =>
  (exchange) => {
    const flags = Object.entries(read()).sort(([a], [b]) => (a < b ? -1 : 1));
    answerZPage(exchange, {
      kind: 'Flagz',
      title: 'flags',
      lines: flags.map(([name, value]) => `${name}=${value}`),
      fields: { flags: Object.fromEntries(flags) },
    });
  };

/** `/flagz`: the flags of the agent's command line. */
export const flagzEndpoint = defineEndpoint({
  name: 'flagz',
  path: pages('/flagz', { '/flagz': {} }),
  methods: 'any',
  authorization: ['configz'],
  label: 'flagz',
  isLongRunning: false,
  enabledBy: [registeredForDebugging],
  handle: ({ flagz }) => flagz && flagzHandler(flagz),
});
