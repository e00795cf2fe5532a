import { join } from 'node:path';
import type { Clock } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { ReadInstance } from './print-logs.js';

/** Reads logs of the agent's folder of logs. */
export async function createInstanceReader(podLogsDir: string, clock: Clock): Promise<ReadInstance> {
  // Loaded lazily: a bundle would load it for every command.
  const { createLogReader } = await import('@nodeagent/container-logs');
  const { nodeLogSource } = await import('@nodeagent/container-logs/node');
  const reader = createLogReader({ clock, source: nodeLogSource });
  return ({ pod }, { container, attempt }, ended) => {
    const { namespace, name } = pod.metadata ?? {};
    const path = join(podLogsDir, `${namespace}_${name}_${podUid(pod)}`, container, `${attempt}.log`);
    return reader.read(path, { follow: true, ended: () => ended });
  };
}
