import { connect, isIP } from 'node:net';
import { NodeAgentError } from '@nodeagent/api';
import { httpGetOver } from '@nodeagent/api/helpers';
import { type HookHttpGet, httpsToHttpServer } from './http-get.js';

/** A longer body is not waited for. */
const maxBodyBytes = 10 * 1024;

/** {@link HookHttpGet} on a separate connection. Certificates are not verified: those of containers are usually self-signed. */
export const nodeHttpGet: HookHttpGet = async (url, headers, signal) => {
  try {
    const request = { target: `${url.pathname}${url.search}`, headers: sentHeaders(url, headers) };
    const response = await httpGetOver(await connectTo(url), request, signal);
    try {
      // The hook lasts as long as its response; what the body is does not matter.
      await response.readBody(maxBodyBytes).catch(() => {});
      signal?.throwIfAborted();
    } finally {
      response.close();
    }
    return response.status;
  } catch (error) {
    const isPlain = error instanceof Error && /wrong version number|packet length too long/i.test(error.message);
    if (!isPlain) throw error;
    throw new NodeAgentError(httpsToHttpServer, 'http: server gave HTTP response to HTTPS client', { cause: error });
  }
};

/** Headers of the body, which a hook cannot set. */
const ownHeaders = new Set(['content-length', 'transfer-encoding', 'trailer']);

function sentHeaders({ host }: URL, headers: Readonly<Record<string, string>>): Record<string, string> {
  const sent: Record<string, string> = { Host: host };
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase();
    if (!ownHeaders.has(lowerCase)) sent[lowerCase === 'host' ? 'Host' : name] = value;
  }
  return sent;
}

async function connectTo({ protocol, hostname, port }: URL) {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:') return connect({ host, port: Number(port || 80) });
  const tls = process.getBuiltinModule('node:tls');
  return tls.connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) });
}
