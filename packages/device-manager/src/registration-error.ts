import { NodeAgentError } from '@nodeagent/api';
import { deviceManagerErrorCodes } from './errors.js';

/** The error that a plugin gets that cannot be registered. */
export function registrationError(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(deviceManagerErrorCodes.registrationFailed, message, { cause });
}
