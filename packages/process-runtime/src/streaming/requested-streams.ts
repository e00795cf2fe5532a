import type { RemoteCommandStreams } from '@nodeagent/streaming';
import { invalidArgument } from '../errors.js';

/** The streams of a CRI Exec or Attach request. Throws CRI_INVALID_ARGUMENT without any stream, and for a terminal with standard error. */
export function requestedStreams({
  stdin = false,
  stdout = false,
  stderr = false,
  tty = false,
}: Partial<RemoteCommandStreams>): RemoteCommandStreams {
  if (!stdin && !stdout && !stderr) throw invalidArgument('stdin', 'one of stdin, stdout, or stderr must be set');
  if (tty && stderr) throw invalidArgument('stderr', 'tty and stderr cannot both be true');
  return { stdin, stdout, stderr, tty };
}
