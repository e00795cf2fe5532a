import { join } from 'node:path';
import type { AgentParts, Needs } from '../components.js';
import { createAgentDevices } from '../subsystems/agent-devices.js';

type DevicesNeeds = Needs<'agent' | 'settings' | 'state' | 'common' | 'node' | 'handler'>;

/** Runs device plugins; undefined if they are off. */
export function devices(c: DevicesNeeds): AgentParts['devices'] {
  const { agent, settings, state } = c;
  const { clock, logger, metrics } = c.common;
  if (!settings.devicePlugins) return undefined;
  return createAgentDevices({
    pluginDir: join(agent.rootDir, 'device-plugins'),
    activePods: () => c.node.activePods(),
    sourcesReady: state.sources.areAllSeen,
    healthChanged: (uids) => c.handler.syncPods([...uids], 'DeviceHealth'),
    clock,
    logger,
    metrics,
  });
}
