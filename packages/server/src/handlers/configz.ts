import { answerJson } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';

/** `/configz`: the configuration in force, with kind and version. */
export const configzHandler =
  (configuration: () => object | Promise<object>): Handler =>
  async ({ response }) =>
    answerJson(response, JSON.stringify({ kubeletconfig: await configuration() }));
