import { expect, it } from 'vitest';
import { removeCredentials } from './bearer-token.js';

it('relays a request with all its headers but the credentials', () => {
  const token = Buffer.from('secret').toString('base64url');
  const offered = `v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.${token}`;
  const request = {
    headers: { host: 'node', authorization: 'Bearer secret', 'sec-websocket-protocol': offered },
    rawHeaders: ['Host', 'node', 'Authorization', 'Bearer secret', 'Sec-WebSocket-Protocol', offered],
  };
  removeCredentials(request);
  expect(request).toEqual({
    headers: { host: 'node', 'sec-websocket-protocol': 'v4.channel.k8s.io' },
    rawHeaders: ['Host', 'node', 'Sec-WebSocket-Protocol', 'v4.channel.k8s.io'],
  });
});

it('omits the subprotocols of a request that offers only a token', () => {
  const offered = 'base64url.bearer.authorization.k8s.io.c2VjcmV0';
  const request = { headers: { 'sec-websocket-protocol': offered }, rawHeaders: ['sec-websocket-protocol', offered] };
  removeCredentials(request);
  expect(request).toEqual({ headers: {}, rawHeaders: [] });
});
