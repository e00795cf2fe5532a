import type { Startable } from '@nodeagent/api';
import type { CniNetwork } from './types.js';

/** Where the networks of a node come from. */
export interface NetworkSource extends Startable {
  /** The valid networks; the first is the default. */
  networks(): readonly CniNetwork[];
  /** Why there is no network: the text of CRI's condition `NetworkReady`. */
  notReadyMessage(): string;
}

/** A source of networks that do not change. */
export function fixedNetworks(networks: readonly CniNetwork[]): NetworkSource {
  return {
    networks: () => networks,
    notReadyMessage: () => 'cni plugin not initialized: no network is configured',
    async start() {},
    async stop() {},
  };
}
