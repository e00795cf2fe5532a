import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { errorMessage } from '@nodeagent/api';
import type { NodeProxy, NodeTarget } from '../network/node-proxy.js';
import type { ApiRequest, ApiResponse } from '../requests/request.js';
import { serviceUnavailable } from '../status.js';

/** Proxies a plain request and streams its response. */
export function forwardToNode(target: NodeTarget, request: ApiRequest, { scheme, ca, cert, key }: NodeProxy): Promise<ApiResponse> {
  const send = scheme === 'http' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send({
      ...target,
      rejectUnauthorized: ca !== undefined,
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      method: request.method ?? 'GET',
      ...(request.signal && { signal: request.signal }),
    });
    outgoing.on('error', (error) => reject(serviceUnavailable(`error trying to reach service: ${errorMessage(error)}`)));
    outgoing.on('response', (incoming: IncomingMessage) => {
      const type = incoming.headers['content-type'];
      resolve({ status: incoming.statusCode ?? 502, headers: type ? { 'content-type': type } : {}, body: incoming });
    });
    outgoing.end(typeof request.body === 'string' ? request.body : undefined);
  });
}
