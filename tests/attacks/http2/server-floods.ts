import { once } from 'node:events';
import { connect } from 'node:net';
import { writable } from '../writable.js';
import { callHeaders, flags, frame, frameTypes, header, numbers, preface, repeat } from './frames.js';

/** What a client sends to a server of HTTP/2, again and again. */
export interface ServerFlood {
  name: string;
  /** The weaknesses of other servers that it is known from. */
  cve: string;
  /** Whether the client reads what the server sends. */
  reads: boolean;
  /** Whether the server closes the connection at once. Otherwise it serves on, or ignores the rest, with bounded memory. */
  closes?: true;
  /** Sent once. */
  opening?: Buffer;
  /** The frames of this round. */
  round(round: number): Buffer;
}

const noMessage = Buffer.alloc(5);
const streamsARound = 200;

/** The floods, each with calls of the method at the path. */
export function serverFloods(path: string): ServerFlood[] {
  const headers = callHeaders(path);
  const streams = (make: (id: number) => Buffer) => (round: number) =>
    repeat(streamsARound, (each) => make(2 * (round * streamsARound + each) + 1));
  const call = (id: number) =>
    Buffer.concat([frame(frameTypes.headers, flags.endHeaders, id, headers), frame(frameTypes.data, flags.endStream, id, noMessage)]);
  const unfinished = frame(frameTypes.headers, flags.none, 1, headers);
  const noWindow = frame(frameTypes.settings, flags.none, 0, Buffer.of(0, 4, 0, 0, 0, 0));
  return [
    {
      ...{ name: 'rapid reset', cve: 'CVE-2023-44487', reads: true },
      round: streams((id) =>
        Buffer.concat([frame(frameTypes.headers, flags.wholeRequest, id, headers), frame(frameTypes.reset, flags.none, id, numbers(8))]),
      ),
    },
    {
      ...{ name: 'resets by the server', cve: 'CVE-2025-8671', reads: true, closes: true },
      round: streams((id) =>
        Buffer.concat([
          frame(frameTypes.headers, flags.endHeaders, id, headers),
          frame(frameTypes.windowUpdate, flags.none, id, numbers(0)),
        ]),
      ),
    },
    {
      ...{ name: 'CONTINUATION without end', cve: 'CVE-2023-45288, CVE-2024-27983', reads: true, closes: true, opening: unfinished },
      round: () =>
        frame(
          frameTypes.continuation,
          flags.none,
          1,
          repeat(100, () => header('a'.repeat(20), 'b'.repeat(100))),
        ),
    },
    {
      ...{ name: 'empty CONTINUATION', cve: 'CVE-2024-28182', reads: true, closes: true, opening: unfinished },
      round: () => repeat(1_000, () => frame(frameTypes.continuation, flags.none, 1)),
    },
    {
      ...{ name: 'PING', cve: 'CVE-2019-9512', reads: false },
      round: () => repeat(1_000, () => frame(frameTypes.ping, flags.none, 0, Buffer.alloc(8))),
    },
    {
      ...{ name: 'SETTINGS', cve: 'CVE-2019-9515', reads: false },
      round: () => repeat(1_000, () => frame(frameTypes.settings, flags.none, 0)),
    },
    {
      ...{ name: 'PRIORITY', cve: 'CVE-2019-9513', reads: true },
      round: (round) =>
        repeat(1_000, (each) =>
          frame(
            frameTypes.priority,
            flags.none,
            2 * each + 1,
            Buffer.concat([numbers(2 * ((each * 7 + round) % 1_000) + 1), Buffer.of(5)]),
          ),
        ),
    },
    {
      ...{ name: 'invalid requests', cve: 'CVE-2019-9514', reads: false },
      round: streams((id) => frame(frameTypes.headers, flags.wholeRequest, id, Buffer.of(0x82))),
    },
    {
      ...{ name: 'headers without names', cve: 'CVE-2019-9516', reads: true },
      round: streams((id) =>
        frame(frameTypes.headers, flags.wholeRequest, id, Buffer.concat([headers, repeat(100, () => header('', ''))])),
      ),
    },
    {
      ...{
        name: 'empty DATA',
        cve: 'CVE-2019-9518',
        reads: true,
        closes: true,
        opening: frame(frameTypes.headers, flags.endHeaders, 1, headers),
      },
      round: () => repeat(1_000, () => frame(frameTypes.data, flags.none, 1)),
    },
    { ...{ name: 'calls whose responses have no window', cve: 'CVE-2019-9511', reads: true, opening: noWindow }, round: streams(call) },
    { ...{ name: 'calls whose responses are not read', cve: 'CVE-2019-9517', reads: false }, round: streams(call) },
    {
      ...{ name: 'calls without end', cve: '', reads: true, closes: true },
      round: streams((id) => frame(frameTypes.headers, flags.endHeaders, id, headers)),
    },
    { ...{ name: 'messages without end', cve: '', reads: true }, round: longMessages(headers) },
    {
      ...{ name: 'unknown frames', cve: '', reads: true },
      round: () => repeat(4, () => frame(0xbb, flags.none, 0, Buffer.alloc(16_000))),
    },
  ];
}

/** The server keeps each message of almost 4 MiB until it is complete. */
function longMessages(headers: Buffer): (round: number) => Buffer {
  const calls = 100;
  const length = 4 * 1024 * 1024 - 1;
  return (round) => {
    const id = 2 * (round % calls) + 1;
    const part = Buffer.alloc(16_384);
    if (round >= calls) return frame(frameTypes.data, flags.none, id, part);
    part.writeUInt32BE(length, 1);
    return Buffer.concat([frame(frameTypes.headers, flags.endHeaders, id, headers), frame(frameTypes.data, flags.none, id, part)]);
  };
}

/** Floods a server for some time, or until it closes the connection. Returns whether it did. */
export async function floodServer(socketPath: string, { opening, reads, round }: ServerFlood, milliseconds: number): Promise<boolean> {
  const socket = connect(socketPath);
  await once(socket, 'connect');
  let isClosed = false;
  socket.on('error', () => {});
  socket.once('close', () => {
    isClosed = true;
    socket.emit('drain');
  });
  socket.write(Buffer.concat([preface, opening ?? Buffer.alloc(0)]));
  // The server's settings: it serves.
  await once(socket, 'data');
  if (!reads) socket.pause();
  const end = performance.now() + milliseconds;
  for (let each = 0; !isClosed && performance.now() < end; each++)
    await writable(socket, socket.write(round(each)), end - performance.now());
  socket.destroy();
  return isClosed;
}
