import type { ServerNetwork } from '../network/server-network.js';
import { callWebhook } from './call-webhook.js';
import { createTestAuthority } from './certificates.js';
import { forwardToNode } from './forward-to-node.js';
import { forwardToService } from './forward-to-service.js';
import { serveHttp } from './http-server.js';

/** The network of this machine, by `node:http` and `node:crypto`: `createTestApiServer({ network: machineNetwork })`. */
export const machineNetwork: ServerNetwork = {
  createAuthority: createTestAuthority,
  serve: serveHttp,
  forward: forwardToNode,
  forwardToService,
  callWebhook,
};
