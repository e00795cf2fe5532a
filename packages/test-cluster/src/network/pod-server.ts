import { errorMessage } from '@nodeagent/api';
import type { HttpMessage, HttpReply, NetworkErrorCode } from '@nodeagent/memory-runtime';
import type { InProcessPodServer } from '@nodeagent/test-api-server';
import { apiAddress } from './api-address.js';

/** Reasons why there is no connection, in the words of the API server. */
const reasons: Partial<Record<NetworkErrorCode, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ETIMEDOUT: 'i/o timeout',
};

/** The server at an address and port of a pod. `send` sends a request to it. */
export function podServer(
  { address, port }: { address: string; port: number },
  send: (message: HttpMessage) => Promise<HttpReply>,
): InProcessPodServer {
  const origin = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    async handle({ method = 'GET', url, headers = {}, body, signal = new AbortController().signal }) {
      const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const message = {
        ...{ method, url: new URL(`http://${origin}${url}`), headers: Object.fromEntries(given), signal },
        body: bodyText(body),
        remoteAddress: apiAddress,
      };
      try {
        const reply = await send(message);
        return { ...reply, headers: { ...reply.headers } };
      } catch (error) {
        const { code } = error as { code?: NetworkErrorCode };
        if (code === 'ECONNRESET') throw new Error('EOF');
        const reason = code && reasons[code];
        throw reason ? new Error(`dial tcp ${origin}: ${reason}`) : new Error(errorMessage(error));
      }
    },
  };
}

function bodyText(body: unknown): string {
  if (body === undefined || typeof body === 'string') return body ?? '';
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : JSON.stringify(body);
}
