import { once } from './once.js';

/** The packages of the resource managers. Each is loaded once in a process: agents that start later do not wait for I/O. */
export const managerPackages = {
  cpus: once(() => import('@nodeagent/cpu-manager')),
  memory: once(() => import('@nodeagent/memory-manager')),
  topology: once(() => import('@nodeagent/topology-manager')),
};

/**
 * Loads the packages of the CPU, memory and topology managers, which an agent otherwise loads at its start. Loading takes real time: await it
 * before an agent with resource managers starts in virtual time. Idempotent.
 */
export async function loadResourceManagers(): Promise<void> {
  await Promise.all(Object.values(managerPackages).map((load) => load()));
}
