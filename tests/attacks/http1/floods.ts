import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { writable } from '../writable.js';

/** What a client without credentials sends to a listener of HTTP/1.1. */
export interface HttpFlood {
  name: string;
  cve: string;
  reads: boolean;
  round(round: number): Buffer;
}

const requests =
  (path: string, headers: (each: number) => string = () => '') =>
  (round: number) =>
    Buffer.from(Array.from({ length: 500 }, (_, each) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers(500 * round + each)}\r\n`).join(''));

const head = 'POST /stats/summary HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

/** The floods after which the connection is closed. */
export const httpFloods: readonly HttpFlood[] = [
  { ...{ name: 'requests that do not wait for responses', cve: '', reads: true }, round: requests('/healthz') },
  { ...{ name: 'responses that are not read', cve: '', reads: false }, round: requests('/metrics') },
  { ...{ name: 'a token a request', cve: '', reads: true }, round: requests('/pods', (each) => `Authorization: Bearer token-${each}\r\n`) },
  {
    ...{ name: 'headers without end', cve: 'CVE-2018-12121', reads: true },
    round: (round) => Buffer.from(round === 0 ? 'GET /healthz HTTP/1.1\r\n' : `x-${round}: ${'a'.repeat(8_000)}\r\n`),
  },
  {
    ...{ name: 'chunk extensions without end', cve: 'CVE-2024-22019', reads: true },
    round: (round) => Buffer.from(round === 0 ? `${head}1;` : 'a'.repeat(16_000)),
  },
  { ...{ name: 'HTTP/2', cve: 'CVE-2023-44487', reads: true }, round: () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n') },
];

/** A port of the victim. */
export interface Target {
  port: number;
  isTls: boolean;
}

export function connectTo({ port, isTls }: Target): Socket {
  const socket = isTls ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }) : connect(port, '127.0.0.1');
  return socket.on('error', () => {});
}

/** Floods a port for some time, or until it closes the connection. Returns whether it did. */
export async function floodHttp(target: Target, { reads, round }: HttpFlood, milliseconds: number): Promise<boolean> {
  const socket = connectTo(target);
  await once(socket, target.isTls ? 'secureConnect' : 'connect');
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
    socket.emit('drain');
  });
  if (reads) socket.resume();
  const end = performance.now() + milliseconds;
  for (let each = 0; !isClosed && performance.now() < end; each++)
    await writable(socket, socket.write(round(each)), end - performance.now());
  socket.destroy();
  return isClosed;
}

/** Opens connections to a port or socket that send this much and then nothing; `open` counts those that the victim has not closed. */
export async function openIdle(where: number | string, count: number, sent: Buffer): Promise<{ open(): number; close(): void }> {
  const sockets: Socket[] = [];
  for (let each = 0; each < count; each++) {
    const socket = typeof where === 'number' ? connect(where, '127.0.0.1') : connect(where);
    socket.on('error', () => {});
    socket.write(sent);
    socket.resume();
    sockets.push(socket);
    if (each % 100 === 99) await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  }
  return {
    open: () => sockets.filter(({ readyState }) => readyState === 'open').length,
    close: () => void sockets.map((socket) => socket.destroy()),
  };
}
