import { apiErrorCodes, errorCode, invalidOptionText, type NodeAgentError } from '@nodeagent/api';

/**
 * Calls `create`. If a manager rejects an option, throws its error with the option's path in the agent's options.
 * @param names - names of the agent's options by the manager's, where they differ
 */
export function namingOptions<T>(names: Readonly<Record<string, string>>, create: () => T): T {
  try {
    return create();
  } catch (error) {
    const { message, details, hint } = error as NodeAgentError;
    const field = errorCode(error) === apiErrorCodes.invalidOption ? details?.field : undefined;
    if (typeof field !== 'string') throw error;
    const [first = '', ...rest] = field.split('.');
    const path = ['resourceManagers', names[first] ?? first, ...rest].join('.');
    throw invalidOptionText(path, `${path}: ${message}`, { cause: error, ...(hint && { hint }) });
  }
}
