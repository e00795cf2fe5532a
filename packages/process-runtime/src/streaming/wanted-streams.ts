import type { WantedStreams } from '@nodeagent/streaming';
import { invalidArgument } from '../errors.js';

/** The streams that CRI's Exec or Attach asks for. Throws CRI_INVALID_ARGUMENT for none, and for a terminal with a standard error. */
export function wantedStreams({ stdin = false, stdout = false, stderr = false, tty = false }: Partial<WantedStreams>): WantedStreams {
  if (!stdin && !stdout && !stderr) throw invalidArgument('stdin', 'one of stdin, stdout, or stderr must be set');
  if (tty && stderr) throw invalidArgument('stderr', 'tty and stderr cannot both be true');
  return { stdin, stdout, stderr, tty };
}
