import { expect, it } from 'vitest';
import { optionErrorProblems } from './option-errors.mjs';

it.each([
  ["throw new NodeAgentError(serverErrorCodes.invalidOption, 'no');", 1],
  ["throw new NodeAgentError('InvalidOption', 'no');", 1],
  ["throw failed(errorCodes.invalidOption, 'no');", 1],
  ["throw invalidOption('port', 'a port', port);", 0],
  ["export const errorCodes = { invalidOption: 'InvalidOption' };", 0],
  ['if (errorCode(error) === errorCodes.invalidOption) return;', 0],
])('%s has %i problems', (text, count) => {
  expect(optionErrorProblems('packages/a/src/a.ts', text)).toHaveLength(count);
});
