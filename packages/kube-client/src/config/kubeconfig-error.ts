import { NodeAgentError } from '@nodeagent/api';
import { kubeClientErrorCodes } from '../errors.js';

/** The error of a kubeconfig field; never contains the field's value, which may be secret. */
export function kubeconfigError(file: string, field: string, problem: string, hint?: string): NodeAgentError {
  return new NodeAgentError(kubeClientErrorCodes.invalidKubeconfig, `${file}: ${field === '' ? '' : `${field}: `}${problem}`, {
    details: { file, field },
    hint,
  });
}
