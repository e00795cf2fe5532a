import type { AgentResourceManagers } from '../config/setting-groups.js';

/** The resource managers that an agent has. */
export interface ManagersInUse {
  cpus: boolean;
  memory: boolean;
  topology: boolean;
}

/** The managers that the options turn on; undefined if there are none. */
export function managersInUse(options: AgentResourceManagers = {}): ManagersInUse | undefined {
  const { cpuManagerPolicy = 'none', memoryManagerPolicy = 'None', topologyManagerPolicy = 'none' } = options;
  const inUse = { cpus: cpuManagerPolicy !== 'none', memory: memoryManagerPolicy !== 'None', topology: topologyManagerPolicy !== 'none' };
  return Object.values(inUse).includes(true) ? inUse : undefined;
}
