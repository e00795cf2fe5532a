import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorMessage, type Logger, silentLogger } from '@nodeagent/api';
import { handBackAnswer, handBackUpgrade, rawHeaders, refuseUpgrade } from './answers.js';
import { type DialUpgradeOptions, dialUpgrade, keepOpen, type UpgradeAnswer } from './dial-upgrade.js';
import { breakOff, joinConnections } from './join.js';

/** A request to upgrade a connection, as the `upgrade` event of Node's HTTP servers hands it over, and where it goes on. */
export interface RelayUpgradeOptions {
  request: IncomingMessage;
  socket: Duplex;
  /** What came after the request's head already. */
  head: Buffer;
  /** The `http:` or `https:` address, with path and query, that takes the request's place; such as CRI's Exec, Attach and PortForward answer. */
  target: URL;
  /** How an `https:` target is spoken to. Default: its certificate must be one that Node trusts, and it gets none. */
  tls?: NonNullable<DialUpgradeOptions['tls']>;
  /** Breaks both connections. */
  signal?: AbortSignal;
  /** Told, at debug level, why a relay broke. Default silent. */
  logger?: Logger;
}

/** Headers that belong to this hop, and the caller's credentials, which are nobody's business behind it. */
const ownHeaders = new Set(['host', 'authorization', 'content-length', 'transfer-encoding', 'expect', 'x-forwarded-for']);

/**
 * Hands an upgraded connection through to another server byte for byte: SPDY/3.1, WebSocket or whatever both sides agree on. The
 * request goes on with its method and headers, without credentials, and with the client's address in `X-Forwarded-For`. Each direction ends by itself, a break of one side breaks the
 * other, and a slow reader slows the writer: nothing is kept beyond the sockets' own buffers.
 *
 * An answer that is no upgrade is handed back as it is, and the connection ends with it: nothing that the client sends reaches a target
 * that has not switched protocols. A target that cannot be reached is answered with status 500 and the reason as text.
 */
export function relayUpgrade(options: RelayUpgradeOptions): void {
  const { request, socket, head } = options;
  const headers = [...rawHeaders(request, ownHeaders), 'X-Forwarded-For', forwardedFor(request)];
  void dialForClient(
    options,
    { ...(request.method && { method: request.method }), headers },
    ({ answer, socket: other, head: otherHead }) => {
      joinConnections(socket, other);
      handBackUpgrade(socket, answer);
      socket.write(otherHead);
      other.write(head);
    },
  );
}

/** The addresses of the clients on the way here, as each proxy of Kubernetes appends its own client's. */
const forwardedFor = ({ headers, socket }: IncomingMessage) =>
  [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? []].flat().join(', ');

/** A connection that the target has switched to another protocol. */
export type UpgradedConnection = Extract<UpgradeAnswer, { head: Buffer }>;

/**
 * Asks the target for an upgraded connection in a client's name, and gives it to `onUpgrade`. Any other outcome is answered to the client
 * here: an answer that is no upgrade as it is, an unreachable target with status 500. Both connections break when the signal aborts.
 */
export async function dialForClient(
  { socket, target, tls, signal, logger = silentLogger }: RelayUpgradeOptions,
  ask: Pick<DialUpgradeOptions, 'method' | 'headers'>,
  onUpgrade: (upgraded: UpgradedConnection) => void,
): Promise<void> {
  const lost = new AbortController();
  const onAbort = () => {
    lost.abort();
    breakOff(socket);
  };
  socket.on('error', (error) => {
    logger.debug({ err: error }, 'an upgraded connection broke');
    breakOff(socket);
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
  keepOpen(socket);
  try {
    const answered = await dialUpgrade({ target, ...ask, ...(tls && { tls }), signal: lost.signal });
    if (answered.socket === undefined) handBackAnswer(socket, answered.answer);
    else if (socket.destroyed) breakOff(answered.socket);
    else onUpgrade(answered);
  } catch (error) {
    if (lost.signal.aborted) return;
    logger.debug({ err: error }, 'the target of an upgraded connection cannot be reached');
    refuseUpgrade(socket, 500, `${errorMessage(error)}\n`);
  }
}
