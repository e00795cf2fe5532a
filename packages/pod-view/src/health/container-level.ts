import type { ContainerStatus } from '@nodeagent/api';
import { terminationText } from '../containers/termination-text.js';
import type { Level } from './level.js';

/** Waiting reasons of a normal start. */
const ordinaryWaits = new Set([undefined, '', 'ContainerCreating', 'PodInitializing']);

/** The health of a container: an init container is starting while it runs. */
export function containerLevel(kind: 'init' | 'sidecar' | 'container' | 'ephemeral', status: ContainerStatus | undefined): Level {
  const { running, terminated, waiting } = status?.state ?? {};
  if (terminated) return terminated.exitCode === 0 ? 'done' : 'bad';
  if (!running) return ordinaryWaits.has(waiting?.reason) ? 'busy' : 'bad';
  if (kind === 'init' || status?.started === false) return 'busy';
  return status?.ready === false && kind !== 'ephemeral' ? 'warn' : 'ok';
}

/** The state of a container: `running`, the reason it waits, or how it terminated. */
export function containerStateText(status: ContainerStatus | undefined): string {
  const { running, terminated, waiting } = status?.state ?? {};
  if (running) return 'running';
  if (terminated) return terminationText(terminated);
  return waiting?.reason || (status ? 'waiting' : 'not created yet');
}
