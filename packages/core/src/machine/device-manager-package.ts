import { loadResourceManagers as loadOthers } from '../parts/resource-managers/manager-packages.js';
import { once } from '../parts/resource-managers/once.js';

/** The package of the device manager, loaded once in a process: agents that start later do not wait for I/O. */
export const deviceManagerPackage = once(() => import('@nodeagent/device-manager'));

/**
 * Loads the packages of the CPU, memory, topology and device managers, which an agent otherwise loads at its start. Loading takes real time: await
 * it before an agent with resource managers starts in virtual time. Idempotent.
 */
export async function loadResourceManagers(): Promise<void> {
  await Promise.all([loadOthers(), deviceManagerPackage()]);
}
