import type { Clock } from '@nodeagent/api';
import { connectTo } from '../connections.js';
import type { RecordStore } from '../record-store.js';
import type { SandboxRecord } from '../records.js';
import { hostOf, isAddress, NetworkError, type ProgramNetwork, portOf, requestTo } from './network.js';

/** The network of a runtime alone: its pods by their addresses. */
export function localNetwork(
  sandboxes: RecordStore<SandboxRecord>,
  { clock, hostIPs }: { clock: Clock; hostIPs: readonly string[] },
): ProgramNetwork {
  return {
    async fetch(message) {
      const [host, port] = [hostOf(message.url), portOf(message.url)];
      if (!isAddress(host)) throw new NetworkError('ENOTFOUND', 'getaddrinfo', host);
      const server = connectTo(sandboxes.values(), { address: host, port, hostIPs, now: clock.now() });
      if (server === undefined) throw new NetworkError('EHOSTUNREACH', 'connect', `${host}:${port}`);
      if (server === 'refused') throw new NetworkError('ECONNREFUSED', 'connect', `${host}:${port}`);
      return requestTo(server, message);
    },
  };
}
