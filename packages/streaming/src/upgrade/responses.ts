import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Headers about the transfer of a response's body. They are removed, because the body is forwarded until the connection ends. */
const framingHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Timeout for a client to close the connection after the response. */
const lingerMs = 5000;

/** The headers in their original spelling and order, as a flat list of names and values. */
export function rawHeaders({ rawHeaders: all }: IncomingMessage, without: ReadonlySet<string> = new Set()): string[] {
  return all.filter((_, at) => !without.has((all[at - (at % 2)] ?? '').toLowerCase()));
}

/** Forwards a response that switched protocols to the client. */
export function forwardUpgrade(socket: Duplex, answer: IncomingMessage): void {
  socket.write(answerHead(answer, rawHeaders(answer)), 'latin1');
}

/**
 * Forwards the error of a target that has not upgraded to the client, and closes the connection. Any other response becomes status 500, as from a
 * kubelet: the client might follow a redirect with its credentials (CVE-2020-8559).
 */
export function forwardResponse(socket: Duplex, answer: IncomingMessage): void {
  const { statusCode = 0 } = answer;
  if (statusCode < 400) {
    answer.destroy();
    refuseUpgrade(socket, 500, `invalid upgrade response: status code ${statusCode}\n`);
    return;
  }
  socket.write(answerHead(answer, [...rawHeaders(answer, framingHeaders), 'Connection', 'close']), 'latin1');
  answer.on('error', () => socket.destroy());
  answer.on('end', () => linger(socket));
  answer.pipe(socket);
}

/** Responds to an upgrade request with a status and a plain text, and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number, text: string): void {
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', `${Buffer.byteLength(text)}`, 'Connection', 'close'];
  socket.write(headText(`${status} ${STATUS_CODES[status] ?? ''}`, headers), 'latin1');
  socket.end(text);
  linger(socket);
}

/** Waits for the client to read the response: closing a connection with unread input would reset it. */
function linger(socket: Duplex): void {
  socket.resume();
  socket.once('end', () => socket.destroy());
  if (socket instanceof Socket) socket.setTimeout(lingerMs, () => socket.destroy());
}

const answerHead = ({ statusCode, statusMessage }: IncomingMessage, headers: readonly string[]) =>
  headText(`${statusCode} ${statusMessage ?? ''}`, headers);

function headText(status: string, headers: readonly string[]): string {
  const lines = [`HTTP/1.1 ${status}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
