import type { IncomingMessage } from 'node:http';
import { defineEndpoint } from '../endpoint.js';
import { pages } from '../endpoint-path.js';
import { answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import { disabled } from '../refusal.js';
import { registeredForDebugging } from '../route-switches.js';

const longestBody = 64;

const verbosityHandler =
  (setVerbosity: (level: number) => void): Handler =>
  async ({ request, response }) => {
    if (request.method !== 'PUT') return answerText(response, 406, 'unsupported http method');
    const text = await shortBody(request);
    if (text === undefined || !/^[0-9]{1,2}$/.test(text)) {
      return answerText(response, 400, `error setting klog.logging.verbosity: ${JSON.stringify(text ?? '')} is no level`);
    }
    setVerbosity(Number(text));
    answerText(response, 200, `successfully set klog.logging.verbosity to ${text}`);
  };

/** Undefined if it is longer than any level. */
async function shortBody(request: IncomingMessage): Promise<string | undefined> {
  let text = '';
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    text += piece;
    if (text.length > longestBody) return undefined;
  }
  return text;
}

/** `/debug/flags/v`: PUT changes how much is logged. */
export const flagsEndpoint = defineEndpoint({
  name: 'flags',
  path: pages('/debug/flags/v', { '/debug/flags/v': {} }),
  methods: 'any',
  authorization: ['proxy'],
  label: 'debug',
  isLongRunning: true,
  enabledBy: [registeredForDebugging, { switch: 'enableDebugFlagsHandler', refusal: disabled('flags endpoint is disabled.') }],
  handle: ({ setVerbosity }) => setVerbosity && verbosityHandler(setVerbosity),
});
