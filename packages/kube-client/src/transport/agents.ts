import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { ClientTls } from './transport.js';
import { tunnelConnection } from './tunnel.js';

/** The server of the connections, and their security. */
export interface AgentOptions {
  server: URL;
  tlsServerName?: string;
  insecureSkipTlsVerify?: boolean;
  proxyUrl?: string;
}

/** Idle connections are closed before the API server closes them (90 s), so that no request is sent on a closing connection. */
const idleConnectionMs = 60_000;
const keepAliveMs = 30_000;

/** The connection pools: one for each set of certificates; only the newest serves new requests. */
export interface Agents {
  get(tls: ClientTls | undefined): HttpAgent;
  closeAll(): void;
}

export function createAgents(options: AgentOptions): Agents {
  let current: { agent: HttpAgent; tls: ClientTls | undefined } | undefined;
  let retired: HttpAgent[] = [];
  return {
    get(tls) {
      if (current?.tls !== tls || current === undefined) {
        if (current !== undefined) retired.push(current.agent);
        retired = retired.filter(retire);
        current = { agent: createAgent(options, tls), tls };
      }
      return current.agent;
    },
    closeAll() {
      for (const agent of retired) agent.destroy();
      current?.agent.destroy();
      retired = [];
      current = undefined;
    },
  };
}

/** Lets requests in flight finish and closes idle connections; false once no connection is left. */
function retire(agent: HttpAgent): boolean {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of [...(sockets ?? [])]) socket.destroy();
  return Object.keys(agent.sockets).length > 0;
}

function createAgent({ server, tlsServerName, insecureSkipTlsVerify, proxyUrl }: AgentOptions, tls: ClientTls = {}): HttpAgent {
  const pool = { keepAlive: true, keepAliveMsecs: keepAliveMs, timeout: idleConnectionMs, scheduling: 'lifo' as const };
  const isSecure = server.protocol === 'https:';
  const security = isSecure
    ? {
        secureContext: createSecureContext({ ...tls, minVersion: 'TLSv1.2' }),
        rejectUnauthorized: insecureSkipTlsVerify !== true,
        ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
      }
    : {};
  const agent = isSecure ? new HttpsAgent({ ...pool, ...security }) : new HttpAgent(pool);
  if (proxyUrl !== undefined) Object.assign(agent, { createConnection: tunnelConnection({ server, proxy: new URL(proxyUrl), security }) });
  return agent;
}
