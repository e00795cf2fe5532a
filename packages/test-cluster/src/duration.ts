import { NodeAgentError } from '@nodeagent/api';
import { parseDuration } from '@nodeagent/api/helpers';
import { testClusterErrorCodes } from './errors.js';

/** Milliseconds, or text such as `5m`, `1h30m` or `500ms`. */
export type Duration = number | string;

/** A duration in milliseconds. Throws `InvalidDuration`. */
export function milliseconds(duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : parseDuration(duration);
  if (ms !== undefined && ms >= 0) return ms;
  throw new NodeAgentError(testClusterErrorCodes.invalidDuration, `"${duration}" is not a duration such as 30s, 5m or 1h30m`);
}
