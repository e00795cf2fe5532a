import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorMessage, type Logger, silentLogger } from '@nodeagent/api';
import { type DialUpgradeOptions, dialUpgrade, disableIdleTimeout, type UpgradeResponse } from './dial-upgrade.js';
import { joinConnections, resetConnection } from './join.js';
import { forwardResponse, forwardUpgrade, rawHeaders, refuseUpgrade } from './responses.js';

/** An upgrade request, as in the `upgrade` event of Node's HTTP servers, and its target. */
export interface RelayUpgradeOptions {
  request: IncomingMessage;
  socket: Duplex;
  /** Bytes already received after the request's head. */
  head: Buffer;
  /** The `http:` or `https:` URL of the target, such as the one that CRI's Exec, Attach and PortForward return. */
  target: URL;
  /** TLS options for an `https:` target. Default: verify its certificate with Node's CAs, send no client certificate. */
  tls?: NonNullable<DialUpgradeOptions['tls']>;
  /** Destroys both connections. */
  signal?: AbortSignal;
  /** Logs, at debug level, why a relay failed. Default: silent. */
  logger?: Logger;
}

/** Headers that are not forwarded: hop-by-hop headers and the caller's credentials. */
const ownHeaders = new Set(['host', 'authorization', 'content-length', 'transfer-encoding', 'expect', 'x-forwarded-for']);

/**
 * Forwards an upgraded connection to another server byte for byte: SPDY/3.1, WebSocket or any other protocol. The request keeps its method
 * and headers, without credentials, and gets the client's address in `X-Forwarded-For`. Each direction ends independently; if one side
 * fails, the other is destroyed. A slow reader slows the writer: data is only buffered in the sockets.
 *
 * An error of the target is forwarded unchanged, and the connection is closed: a target that has not switched protocols gets no data of the
 * client. Any other response without an upgrade becomes status 500. If the target cannot be reached, the client gets status 500 with the reason as text.
 */
export function relayUpgrade(options: RelayUpgradeOptions): void {
  const { request, socket, head } = options;
  const headers = [...rawHeaders(request, ownHeaders), 'X-Forwarded-For', forwardedFor(request)];
  void dialForClient(
    options,
    { ...(request.method && { method: request.method }), headers },
    ({ answer, socket: other, head: otherHead }) => {
      joinConnections(socket, other);
      forwardUpgrade(socket, answer);
      socket.write(otherHead);
      other.write(head);
    },
  );
}

/** The value of `X-Forwarded-For`: the previous addresses and the client's. */
const forwardedFor = ({ headers, socket }: IncomingMessage) =>
  [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? []].flat().join(', ');

/** A connection that the target has switched to another protocol. */
export type UpgradedConnection = Extract<UpgradeResponse, { head: Buffer }>;

/**
 * Requests an upgraded connection from the target on behalf of a client, and passes it to `onUpgrade`. Otherwise it responds to the client:
 * with the target's error, or with status 500 if the target cannot be reached or answers something else. Destroys both connections when the signal aborts.
 */
export async function dialForClient(
  { socket, target, tls, signal, logger = silentLogger }: RelayUpgradeOptions,
  ask: Pick<DialUpgradeOptions, 'method' | 'headers'>,
  onUpgrade: (upgraded: UpgradedConnection) => void,
): Promise<void> {
  const lost = new AbortController();
  const onAbort = () => {
    lost.abort();
    resetConnection(socket);
  };
  socket.on('error', (error) => {
    logger.debug({ err: error }, 'an upgraded connection failed');
    resetConnection(socket);
  });
  socket.once('close', () => {
    lost.abort();
    signal?.removeEventListener('abort', onAbort);
  });
  if (signal?.aborted) {
    onAbort();
    return;
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  disableIdleTimeout(socket);
  try {
    const answered = await dialUpgrade({ target, ...ask, tls, signal: lost.signal });
    if (answered.socket === undefined) forwardResponse(socket, answered.answer);
    else if (socket.destroyed) resetConnection(answered.socket);
    else onUpgrade(answered);
  } catch (error) {
    if (lost.signal.aborted) return;
    logger.debug({ err: error }, 'cannot reach the target of an upgrade request');
    refuseUpgrade(socket, 500, `${errorMessage(error)}\n`);
  }
}
