import type { VolumePlugin } from '@nodeagent/api';
import { type PayloadKind, payloadKinds } from './payload-kinds.js';
import { createPayloadPlugin } from './payload-volume.js';
import type { PluginPorts } from './plugin-ports.js';
import { mapKinds } from './volume-kind.js';

/** configMap, secret, downwardAPI and projected. */
export function createPayloadPlugins(ports: PluginPorts): Record<PayloadKind, VolumePlugin> {
  return mapKinds(payloadKinds(ports.sources, ports.deleteTokens), (kind, definition) => createPayloadPlugin(kind, definition, ports));
}
