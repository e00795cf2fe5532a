import { connect, isIP, type Socket } from 'node:net';
import { joinHostPort } from '../ports.js';
import { networkErrorText } from './network-error.js';

/** Opens a TCP connection; rejects with the kubelet's message or the signal's reason. An empty host is localhost. */
export function connectTcp(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: host || 'localhost', port });
    untilEvent(socket, 'connect', joinHostPort(host, port), signal).then(() => resolve(socket), reject);
  });
}

/** Opens a TLS connection of any version, without certificate verification, because certificates of containers are usually self-signed. */
export async function connectTls(host: string, port: number, signal: AbortSignal) {
  const tls = process.getBuiltinModule('node:tls');
  signal.throwIfAborted();
  const socket = tls.connect({
    host: host || 'localhost',
    port,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(host && isIP(host) === 0 && { servername: host }),
  });
  await untilEvent(socket, 'secureConnect', joinHostPort(host, port), signal);
  return socket;
}

/** Waits for the event; on an error or abort the socket is destroyed. */
function untilEvent(socket: Socket, event: 'connect' | 'secureConnect', address: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      socket.off(event, onEvent);
      socket.off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) return resolve();
      socket.destroy();
      reject(error);
    };
    const onEvent = () => settle();
    const onClose = () => settle(new Error('EOF'));
    const onAbort = () => settle(signal.reason);
    socket.once(event, onEvent);
    socket.once('close', onClose);
    // Kept after the wait, so that a later socket error is never unhandled.
    socket.on('error', (error) => settle(new Error(networkErrorText(error, address), { cause: error })));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
