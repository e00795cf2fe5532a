/**
 * The transport of exec, attach and port-forward: SPDY/3.1 and WebSocket connections, and the streams of a remote command on them.
 *
 * @packageDocumentation
 */
export { streamingErrorCodes } from './errors.js';
export { acceptPortForward, type PortForwardPorts, portForwardProtocol } from './port-forward.js';
export { acceptRemoteCommand, type UpgradeRequest } from './remote-command/accept.js';
export { type CommandEnd, formatCommandEnd, parseCommandEnd } from './remote-command/exit-status.js';
export { type OpenedCommand, openHeaders, openRemoteCommand } from './remote-command/open.js';
export { remoteCommandProtocol } from './remote-command/over-spdy.js';
export { acceptOverWebSocket, webSocketProtocols } from './remote-command/over-websocket.js';
export type { RemoteCommand, RemoteCommandStreams, TerminalSize } from './remote-command/streams.js';
export type { SpdyHeaders } from './spdy/header-block.js';
export { createSpdySession, type SpdySession, type SpdySessionOptions } from './spdy/session.js';
export type { SpdyStream } from './spdy/stream.js';
export { type DialUpgradeOptions, dialUpgrade, disableIdleTimeout, type UpgradeResponse } from './upgrade/dial-upgrade.js';
export { joinConnections, resetConnection } from './upgrade/join.js';
export { dialForClient, type RelayUpgradeOptions, relayUpgrade, type UpgradedConnection } from './upgrade/relay-upgrade.js';
export { forwardResponse, forwardUpgrade, rawHeaders, refuseUpgrade } from './upgrade/responses.js';
export { createWebSocket, type MessagePiece, type WebSocketConnection } from './websocket/connection.js';
export { acceptWebSocket, isWebSocket, offeredProtocols } from './websocket/handshake.js';
export { joinTunnel, tunnelPrefix } from './websocket/tunnel.js';
