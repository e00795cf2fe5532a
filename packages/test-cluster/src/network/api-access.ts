import { errorMessage } from '@nodeagent/api';
import { type HttpMessage, type HttpReply, NetworkError } from '@nodeagent/memory-runtime';
import type { TestApiServer } from '@nodeagent/test-api-server';
import type { NodeLink } from '../node-link.js';
import { apiAddress, apiPort } from './api-address.js';

const anonymous = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
const subject = `${apiAddress}:${apiPort}`;

/** Sends requests of a node's pods to the API server, over the node's link. Requests without a token are anonymous. */
export function createApiAccess(link: NodeLink, server: Pick<TestApiServer, 'handle'>): (message: HttpMessage) => Promise<HttpReply> {
  const transport = link.connect({
    handle: (request) => server.handle({ ...request, ...(!request.headers.authorization && { user: anonymous }) }),
  });
  return async ({ method, url, headers, body, signal }) => {
    if (url.protocol !== 'https:') return { status: 400, headers: {}, body: 'Client sent an HTTP request to an HTTPS server.\n' };
    try {
      const path = `${url.pathname}${url.search}`;
      return await transport.send({ method, path, headers, signal, ...(body !== '' && { body }) });
    } catch (error) {
      signal.throwIfAborted();
      if (link.partition === 'refused') throw new NetworkError('ECONNREFUSED', 'connect', subject);
      throw new NetworkError('ECONNRESET', 'read', errorMessage(error));
    }
  };
}
