import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { NodeAgentError } from '@nodeagent/api';

/** Error code for an HTTPS request to a server that serves plain HTTP. */
export const httpsToHttpServer = 'HttpResponseToHttpsClient';

/** Makes one GET request. Resolves with the status code when the headers arrive; rejects without a response. */
export type HookHttpGet = (url: URL, headers: Readonly<Record<string, string>>, signal?: AbortSignal) => Promise<number>;

/** {@link HookHttpGet} over `node:http` and `node:https`. Certificates are not verified: those of containers are usually self-signed. */
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
