import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorMessage } from '@nodeagent/api';
import { badRequest } from '../status.js';
import type { InProcessNodeServer } from './node-server.js';

const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const channels = { stdout: 1, stderr: 2, status: 3 } as const;
/** RFC 6455, section 1.3. */
const handshakeGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * Serves `kubectl exec` over a WebSocket: runs the command, sends its output and status, and closes. Ignores the client's input.
 * Throws for an invalid request before it writes.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
export async function serveRemoteCommand(
  incoming: IncomingMessage,
  socket: Duplex,
  path: string,
  node: InProcessNodeServer,
): Promise<void> {
  const { pathname, searchParams } = new URL(path, 'http://node');
  const [kind, namespace = '', pod = '', container = ''] = pathname.split('/').slice(1).map(decodeURIComponent);
  if (kind !== 'exec') throw badRequest(`${kind}: a node that is simulated runs commands only`);
  const { 'sec-websocket-key': key, 'sec-websocket-protocol': offered = '' } = incoming.headers;
  const protocol = protocols.find((each) => offered.split(/\s*,\s*/).includes(each));
  if (incoming.headers.upgrade?.toLowerCase() !== 'websocket' || !key || !protocol) {
    throw badRequest(`only WebSockets of ${protocols.join(' or ')} are served`);
  }
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.resume();
  const accept = createHash('sha1').update(`${key}${handshakeGuid}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: ${protocol}\r\n\r\n`,
  );
  let status: object;
  try {
    const command = searchParams.getAll('command');
    const { exitCode = 0, stdout = '', stderr = '' } = await node.exec({ namespace, pod, container, command, signal: gone.signal });
    if (stdout) socket.write(messageFrame(channels.stdout, stdout));
    if (stderr) socket.write(messageFrame(channels.stderr, stderr));
    status = exitStatus(exitCode);
  } catch (error) {
    status = { metadata: {}, status: 'Failure', reason: 'InternalError', message: errorMessage(error), code: 500 };
  }
  socket.write(messageFrame(channels.status, JSON.stringify(status)));
  socket.end(closeFrame);
}

/** The result of a command as a Status of the API. */
function exitStatus(exitCode: number): object {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

/** A binary message on a channel: RFC 6455, section 5.2. */
function messageFrame(channel: number, text: string): Buffer {
  const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
  return Buffer.concat([frameHead(0x82, payload.length), payload]);
}

function frameHead(first: number, length: number): Buffer {
  if (length < 126) return Buffer.from([first, length]);
  if (length < 65_536) return Buffer.from([first, 126, length >> 8, length & 255]);
  const head = Buffer.alloc(10);
  head.set([first, 127]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** Code 1000: normal closure. */
const closeFrame = Buffer.from([0x88, 2, 0x03, 0xe8]);
