import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createFrameReader, createFrameWriter, encodeNumbers, encodeSettings, frameFlags, frameTypes } from '../src/client/frames.js';
import { createHeaderDecoder, encodeHeaders, type Headers } from '../src/client/hpack.js';
import { encodeMessage } from '../src/client/message-reader.js';
import { tempSocket } from './greeter.js';

const prefaceBytes = 24;

/** A received frame. */
export interface ReceivedFrame {
  type: number;
  flags: number;
  id: number;
  payload: Buffer;
}

/** One connection of a scripted HTTP/2 server. It sends the frames that the test specifies, valid or not. */
export interface Peer {
  socket: Socket;
  /** All frames of the client so far. */
  received: ReceivedFrame[];
  send(type: number, flags: number, id: number, payload?: Buffer): void;
  settings(...values: (readonly [id: number, value: number])[]): void;
  headers(id: number, headers: Record<string, string>, isLast?: boolean): void;
  /** A message of the text, in a DATA frame. */
  message(id: number, text: string): void;
  /** A whole response: headers, a message and trailers with the status OK. */
  respond(id: number, text: string): void;
  reset(id: number, code: number): void;
  goAway(lastId: number, code?: number): void;
}

export interface PeerServer {
  socketPath: string;
  /** The connections so far. */
  peers: Peer[];
  /** The connection of this number, once it exists. */
  peer(index: number): Promise<Peer>;
}

export interface PeerScript {
  /** Sends this many bytes at a time. Default: all. */
  pieceBytes?: number;
  /** Called for a new connection. Default: sends empty settings. */
  connected?(peer: Peer): void;
  /** Called for the headers of a request. */
  request?(peer: Peer, id: number, headers: Headers): void;
}

/** Serves a script on a socket for the length of the test. */
export async function servePeer(script: PeerScript): Promise<PeerServer> {
  const socketPath = tempSocket();
  const peers: Peer[] = [];
  const waiting = new Map<number, (peer: Peer) => void>();
  const server = createServer((socket) => {
    const peer = createPeer(socket, script);
    peers.push(peer);
    if (script.connected) script.connected(peer);
    else peer.settings();
    waiting.get(peers.length - 1)?.(peer);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    for (const { socket } of peers) socket.destroy();
    server.close();
  });
  return {
    socketPath,
    peers,
    peer: (index) =>
      new Promise((resolve) => {
        const peer = peers[index];
        if (peer) resolve(peer);
        else waiting.set(index, resolve);
      }),
  };
}

function createPeer(socket: Socket, { request, pieceBytes }: PeerScript): Peer {
  const received: ReceivedFrame[] = [];
  const decode = createHeaderDecoder();
  let sent = Promise.resolve();
  const frames = createFrameWriter((bytes) => {
    sent = sent.then(() => sendPieces(socket, bytes, pieceBytes ?? bytes.length));
  });
  let preface = Buffer.alloc(0);
  const read = createFrameReader((type, flags, id, payload) => {
    received.push({ type, flags, id, payload: Buffer.from(payload) });
    if (type === frameTypes.headers) request?.(peer, id, decode(payload));
  });
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    const missing = prefaceBytes - preface.length;
    preface = Buffer.concat([preface, bytes.subarray(0, missing)]);
    if (bytes.length > missing) read(bytes.subarray(missing));
  });
  const peer: Peer = {
    socket,
    received,
    send: (type, flags, id, payload = Buffer.alloc(0)) => frames.write(type, flags, id, payload),
    settings: (...values) => peer.send(frameTypes.settings, 0, 0, encodeSettings(values)),
    headers(id, headers, isLast = false) {
      peer.send(
        frameTypes.headers,
        frameFlags.endHeaders | (isLast ? frameFlags.endStream : 0),
        id,
        encodeHeaders(Object.entries(headers)),
      );
    },
    message: (id, text) => peer.send(frameTypes.data, 0, id, encodeMessage(Buffer.from(text))),
    respond(id, text) {
      peer.headers(id, { ':status': '200', 'content-type': 'application/grpc' });
      peer.message(id, text);
      peer.headers(id, { 'grpc-status': '0' }, true);
    },
    reset: (id, code) => peer.send(frameTypes.resetStream, 0, id, encodeNumbers(code)),
    goAway: (lastId, code = 0) => peer.send(frameTypes.goAway, 0, 0, encodeNumbers(lastId, code)),
  };
  return peer;
}

async function sendPieces(socket: Socket, bytes: Buffer, pieceBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    socket.write(bytes.subarray(at, at + pieceBytes));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
