import type { ContainerStateTerminated } from '@nodeagent/api';

/** How a container terminated: `exited with 137 (OOMKilled)`, `killed by signal 9`. */
export function terminationText({
  exitCode,
  signal,
  reason,
}: Partial<Pick<ContainerStateTerminated, 'exitCode' | 'signal' | 'reason'>>): string {
  const how = signal ? `killed by signal ${signal}` : `exited with ${exitCode ?? 0}`;
  return reason && reason !== 'Completed' ? `${how} (${reason})` : how;
}
