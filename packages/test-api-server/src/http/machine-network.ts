import type { ServerNetwork } from '../network/server-network.js';
import { createTestAuthority } from './certificates.js';
import { serveHttp } from './http-server.js';
import { createTokenKeys } from './token-keys.js';

/**
 * The network of this machine, by `node:http` and `node:crypto`: `createTestApiServer({ network: machineNetwork })`. It loads its clients when they
 * are first needed.
 */
export const machineNetwork: ServerNetwork = {
  createAuthority: createTestAuthority,
  createTokenKeys,
  serve: serveHttp,
  forward: async (...call) => (await import('./forward-to-node.js')).forwardToNode(...call),
  forwardToService: async (...call) => (await import('./forward-to-service.js')).forwardToService(...call),
  callWebhook: async (call) => (await import('./call-webhook.js')).callWebhook(call),
};
