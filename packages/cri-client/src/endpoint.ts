import { socketPathHint, socketPathProblem } from '@nodeagent/api/helpers';
import { criError } from './errors.js';

/**
 * The absolute path of an endpoint's socket: `unix:///run/x.sock`, or the path alone.
 *
 * @throws NodeAgentError CRI_ENDPOINT_INVALID, naming `field`
 */
export function socketPath(endpoint: string, field: string): string {
  const path = endpoint.startsWith('unix://') ? endpoint.slice('unix://'.length) : endpoint;
  const hint = 'Give unix:///path/to/socket, or its absolute path.';
  if (path === '') throw criError('CRI_ENDPOINT_INVALID', `${field}: must not be empty`, { hint, details: { field } });
  if (!path.startsWith('/')) {
    throw criError('CRI_ENDPOINT_INVALID', `${field}: "${endpoint}" is not supported: a CRI endpoint is a unix socket`, {
      hint,
      details: { field, endpoint },
    });
  }
  const problem = socketPathProblem(path);
  if (problem !== undefined) {
    throw criError('CRI_ENDPOINT_INVALID', `${field}: ${problem}`, { hint: socketPathHint, details: { field, endpoint } });
  }
  return path;
}
