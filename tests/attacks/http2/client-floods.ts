import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { writable } from '../writable.js';
import { flags, frame, frameTypes, header, numbers, repeat } from './frames.js';

/** What a server of HTTP/2 sends to a client that waits for the messages of a call. */
export interface ClientFlood {
  name: string;
  cve: string;
  reads: boolean;
  /** Sent after the headers of the response. Default: nothing. */
  opening?: Buffer;
  /** The frames of this round. */
  round(round: number): Buffer;
  /** The cause that the client's error names; undefined if it serves on. */
  cause?: string;
}

const call = 1;
const responseHeaders = Buffer.concat([header(':status', '200'), header('content-type', 'application/grpc')]);
const unread = 'has not read 1001 acknowledgements';

export const clientFloods: readonly ClientFlood[] = [
  {
    ...{ name: 'PING, acknowledgements not read', cve: 'CVE-2019-9512', reads: false, cause: unread },
    round: () => repeat(2_000, () => frame(frameTypes.ping, flags.none, 0, Buffer.alloc(8))),
  },
  {
    ...{ name: 'PING of 16 KiB', cve: '', reads: false, cause: 'PING of 16384 bytes' },
    round: () => repeat(50, () => frame(frameTypes.ping, flags.none, 0, Buffer.alloc(16_384))),
  },
  {
    ...{ name: 'SETTINGS, acknowledgements not read', cve: 'CVE-2019-9515', reads: false, cause: unread },
    round: () => repeat(2_000, () => frame(frameTypes.settings, flags.none, 0)),
  },
  {
    ...{ name: 'DATA beyond the window', cve: '', reads: true, cause: 'into a window of 1048576' },
    round: () => repeat(64, () => frame(frameTypes.data, flags.none, call, message(16_379))),
  },
  {
    ...{ name: 'messages without content', cve: '', reads: true, cause: '16384 messages wait for their consumer' },
    round: () => repeat(64, () => frame(frameTypes.data, flags.none, call, Buffer.alloc(16_380))),
  },
  {
    ...{ name: 'empty DATA', cve: 'CVE-2019-9518', reads: true },
    round: () => repeat(5_000, () => frame(frameTypes.data, flags.none, call)),
  },
  {
    ...{ name: 'CONTINUATION without end', cve: 'CVE-2023-45288', reads: true, cause: 'headers of ' },
    opening: frame(frameTypes.headers, flags.none, call),
    round: () =>
      frame(
        frameTypes.continuation,
        flags.none,
        call,
        repeat(100, () => header('a'.repeat(20), 'b'.repeat(100))),
      ),
  },
  {
    ...{ name: 'empty CONTINUATION', cve: 'CVE-2024-28182', reads: true, cause: 'headers of ' },
    opening: frame(frameTypes.headers, flags.none, call),
    round: () => repeat(5_000, () => frame(frameTypes.continuation, flags.none, call)),
  },
  {
    ...{ name: 'many headers', cve: '', reads: true, cause: 'headers of ' },
    round: (round) => manyHeaders(round),
  },
  {
    ...{ name: 'resets of streams that do not exist', cve: 'CVE-2019-9514', reads: true },
    round: (round) => repeat(2_000, (each) => frame(frameTypes.reset, flags.none, 2 * (round * 2_000 + each) + 3, numbers(8))),
  },
  {
    ...{ name: 'WINDOW_UPDATE', cve: 'CVE-2019-9511', reads: true },
    round: () => repeat(2_000, () => frame(frameTypes.windowUpdate, flags.none, 0, numbers(1))),
  },
];

/** A message with gRPC's prefix: a ContainerEventResponse with a long containerId. */
function message(bytes: number): Buffer {
  const framed = Buffer.alloc(5 + bytes, 'x');
  framed.writeUIntBE(bytes, 0, 5);
  const idBytes = bytes - 4;
  Buffer.of(0x0a, (idBytes & 0x7f) | 0x80, ((idBytes >> 7) & 0x7f) | 0x80, idBytes >> 14).copy(framed, 5);
  return framed;
}

/** A block of informational headers of almost 256 KiB, which the client decodes into a table of some 18,000 names. */
function manyHeaders(round: number): Buffer {
  const parts = Array.from({ length: 15 }, (_, part) => repeat(1_200, (each) => header(`${round % 10}-${part}-${each}`, 'x')));
  const status = header(':status', '100');
  return Buffer.concat([
    frame(frameTypes.headers, flags.none, call, status),
    ...parts.map((part, at) => frame(frameTypes.continuation, at === parts.length - 1 ? flags.endHeaders : flags.none, call, part)),
  ]);
}

/** Serves the flood on a socket path or port; each connection is flooded from its first request on, for some time. */
export async function serveClientFlood(
  where: { path: string } | { port: number },
  { opening, reads, round }: ClientFlood,
  milliseconds: number,
): Promise<{ close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer(async (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => socket.emit('drain'));
    socket.write(frame(frameTypes.settings, flags.none, 0));
    // The preface and the first request.
    await once(socket, 'data');
    if (reads) socket.resume();
    else socket.pause();
    socket.write(Buffer.concat([frame(frameTypes.headers, flags.endHeaders, call, responseHeaders), opening ?? Buffer.alloc(0)]));
    const end = performance.now() + milliseconds;
    for (let each = 0; socket.writable && performance.now() < end; each++) {
      await writable(socket, socket.write(round(each)), end - performance.now());
    }
    socket.destroy();
  });
  server.listen(where);
  await once(server, 'listening');
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
