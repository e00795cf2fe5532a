import { NodeAgentError } from '@nodeagent/api';
import { kubeletConfigErrorCodes } from './errors.js';

/** The error of an invalid configuration. */
export function kubeletConfigurationErrors(problems: readonly string[], cause?: unknown): NodeAgentError {
  const message = problems.length === 1 ? `${problems[0]}` : `[${problems.join(', ')}]`;
  return new NodeAgentError(kubeletConfigErrorCodes.invalidConfiguration, message, {
    details: { problems },
    cause,
  });
}
