import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { NodeAgentError } from '@nodeagent/api';

/** Code of the error when an HTTPS request met a server that speaks plain HTTP. */
export const httpsToHttpServer = 'HttpResponseToHttpsClient';

/** Makes one GET request; resolves with the status when the answer has begun, rejects if there is none. */
export type HookHttpGet = (url: URL, headers: Readonly<Record<string, string>>, signal?: AbortSignal) => Promise<number>;

/** {@link HookHttpGet} over `node:http` and `node:https`. Certificates are not verified: a container's own is rarely signed. */
export const nodeHttpGet: HookHttpGet = (url, headers, signal) =>
  new Promise((resolve, reject) => {
    const options = { headers, ...(signal && { signal }) };
    const request = url.protocol === 'https:' ? httpsRequest(url, { ...options, rejectUnauthorized: false }) : httpRequest(url, options);
    request.on('response', (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const plain = /wrong version number|packet length too long/i.test(error.message);
      const text = 'http: server gave HTTP response to HTTPS client';
      reject(plain ? new NodeAgentError(httpsToHttpServer, text, { cause: error }) : error);
    });
    request.end();
  });
