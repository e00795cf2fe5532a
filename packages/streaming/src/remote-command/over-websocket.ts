import type { IncomingMessage } from 'node:http';
import { type Duplex, Writable } from 'node:stream';
import { unacceptable } from '../errors.js';
import { createPushStream, endAndFlush, type PushStream } from '../push-stream.js';
import { createWebSocket, type MessagePiece } from '../websocket/connection.js';
import { acceptWebSocket, offeredProtocols } from '../websocket/handshake.js';
import { createResizes, type RemoteCommand, type RemoteCommandStreams } from './streams.js';

/** Channel numbers: the first byte of each message. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Supported versions: version 5 can close standard input, version 4 cannot. */
export const webSocketProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** Maximum length of a terminal size. */
const maxSizeLength = 256;

/** Accepts an exec or attach over WebSocket. Throws UpgradeUnacceptable for an unsupported version. */
export function acceptOverWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  requested: RemoteCommandStreams,
): RemoteCommand {
  const protocol = webSocketProtocols.find((each) => offeredProtocols(request).includes(each));
  if (protocol === undefined) throw unacceptable(403, `none of the offered subprotocols is one of ${webSocketProtocols.join(', ')}`);
  socket.write(acceptWebSocket(request, protocol));
  const connection = createWebSocket({ socket, head, role: 'server' });
  const stdin = requested.stdin ? createPushStream() : undefined;
  const resizes = createResizes();
  const disconnected = new AbortController();

  const output = (number: number) =>
    new Writable({
      write: (data: Buffer, _encoding, done) => connection.send(Buffer.concat([Buffer.from([number]), data]), done),
    }).on('error', () => {});
  const stdout = requested.stdout ? output(channel.stdout) : undefined;
  const stderr = requested.stderr && !requested.tty ? output(channel.stderr) : undefined;
  // An empty message signals to the client that the streams are ready.
  connection.send(Buffer.from([stdout ? channel.stdout : stderr ? channel.stderr : channel.error]));

  const read = async () => {
    try {
      await readChannels(connection.messages(), stdin, resizes.take, protocol === webSocketProtocols[0]);
    } catch {
      // The reason does not matter: the client has disconnected.
    }
    socket.destroy();
    disconnected.abort();
    if (stdin) stdin.end();
  };
  socket.once('close', () => {
    disconnected.abort();
    stdin?.readable.destroy();
  });
  void read();

  return {
    ...(stdin && { stdin: stdin.readable }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    onResize: resizes.on,
    signal: disconnected.signal,
    async finish(status) {
      // Unread input must not keep the client's close frame from being read.
      stdin?.readable.resume();
      await Promise.all([endAndFlush(stdout), endAndFlush(stderr)]);
      if (!socket.writable) return;
      connection.send(Buffer.concat([Buffer.from([channel.error]), Buffer.from(status)]));
      connection.close();
    },
  };
}

async function readChannels(
  messages: AsyncIterable<MessagePiece>,
  stdin: PushStream | undefined,
  onSize: (text: string) => void,
  canClose: boolean,
): Promise<void> {
  let current: number | undefined;
  let text = '';
  for await (const { first, last, data } of messages) {
    let rest = data;
    if (first) {
      current = undefined;
      text = '';
    }
    if (current === undefined && rest.length > 0) {
      current = rest[0];
      rest = rest.subarray(1);
    }
    if (current === channel.stdin) await stdin?.push(rest);
    else if (current === channel.resize && text.length < maxSizeLength) text += rest.toString();
    else if (current === channel.close && canClose && rest[0] === channel.stdin) stdin?.end();
    if (last && current === channel.resize) onSize(text);
  }
}
