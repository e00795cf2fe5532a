import { NodeAgentError } from '@nodeagent/api';

/** The codes of the errors that this package makes. */
export const statusManagerErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A status that lets a container leave `terminated` though nothing may restart it, or that does not fit the pod's spec. */
  illegalTransition: 'IllegalStatusTransition',
} as const;

export function illegalTransition(container: string, message: string): NodeAgentError {
  return new NodeAgentError(statusManagerErrorCodes.illegalTransition, message, { details: { container } });
}
