import { answerJson } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';

/** `/configz`: the configuration in force, with kind and version. */
export const configzHandler =
  (configuration: () => object): Handler =>
  ({ response }) =>
    answerJson(response, JSON.stringify({ kubeletconfig: configuration() }));
