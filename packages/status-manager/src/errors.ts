import { NodeAgentError } from '@nodeagent/api';

/** The codes of this package's errors. */
export const statusManagerErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** In the status a container that must not restart is no longer `terminated`, or the status does not match the pod's spec. */
  illegalTransition: 'IllegalStatusTransition',
} as const;

export function illegalTransition(container: string, message: string): NodeAgentError {
  return new NodeAgentError(statusManagerErrorCodes.illegalTransition, message, { details: { container } });
}
