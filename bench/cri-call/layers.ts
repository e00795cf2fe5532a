import { connect } from 'node:http2';
import { createRequire } from 'node:module';
import { connect as connectSocket } from 'node:net';
import type { CallOptions } from '@nodeagent/cri-api';
import { createCriClient } from '@nodeagent/cri-client';
import { createGrpcClient } from '@nodeagent/grpc';
import { runtimeServiceMethods } from '../../packages/cri-client/src/generated/codec.js';
import {
  createFrameReader,
  createFrameWriter,
  encodeNumbers,
  encodeSettings,
  frameFlags,
  frameTypes,
} from '../../packages/grpc/src/client/frames.js';
import { createRequestHeaders } from '../../packages/grpc/src/client/request-headers.js';

/** A way to make a unary call. */
export interface Layer {
  call(): Promise<unknown>;
  close(): void;
}

type Method = 'version' | 'listContainers';
type Create = (socketPath: string, method: Method) => Layer;

const deadlineMs = 120_000;
const asIs = (bytes: Buffer): Buffer => bytes;

/** The system calls, and little else: fixed frames on a socket, without flow control and errors. */
const socket: Create = (socketPath, method) => {
  const connection = connectSocket(socketPath);
  const frames = createFrameWriter((bytes) => connection.write(bytes));
  connection.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  // No dynamic header table, and windows for all responses.
  frames.write(
    frameTypes.settings,
    0,
    0,
    encodeSettings([
      [1, 0],
      [4, 1024 * 1024],
    ]),
  );
  frames.write(frameTypes.windowUpdate, 0, 0, encodeNumbers(2 ** 31 - 65_536));
  const headers = createRequestHeaders({ authority: 'localhost', userAgent: 'bench' })(runtimeServiceMethods[method].path, deadlineMs);
  const body = Buffer.alloc(5);
  const waiting = new Map<number, (response: unknown) => void>();
  let nextId = 1;
  const read = createFrameReader((type, flags, id, payload) => {
    if (type === frameTypes.settings && flags === 0) frames.write(type, frameFlags.ack, 0, Buffer.alloc(0));
    if (type !== frameTypes.headers || (flags & frameFlags.endStream) === 0) return;
    waiting.get(id)?.(payload);
    waiting.delete(id);
  });
  connection.on('data', read);
  return {
    call: () =>
      new Promise((resolve) => {
        const id = nextId;
        nextId += 2;
        waiting.set(id, resolve);
        frames.write(frameTypes.headers, frameFlags.endHeaders, id, headers);
        frames.write(frameTypes.data, frameFlags.endStream, id, body);
      }),
    close: () => connection.destroy(),
  };
};

/** `node:http2` alone: fixed headers and a fixed frame, no codec, no deadline, no signal. */
const http2: Create = (socketPath, method) => {
  const { path } = runtimeServiceMethods[method];
  const session = connect('http://localhost', { path: socketPath } as object);
  const headers = { ':method': 'POST', ':path': path, te: 'trailers', 'content-type': 'application/grpc' };
  const frame = Buffer.alloc(5);
  return {
    call: () =>
      new Promise((resolve, reject) => {
        const stream = session.request(headers);
        const chunks: Buffer[] = [];
        let status: unknown;
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('trailers', (trailers) => {
          status = trailers['grpc-status'];
        });
        stream.on('error', reject);
        stream.on('end', () => (status === '0' ? resolve(chunks) : reject(new Error(`status ${status}`))));
        stream.end(frame);
      }),
    close: () => session.destroy(),
  };
};

/** grpc-js, alone or with the codec and a deadline. */
function grpcJs(hasCodecAndDeadline: boolean): Create {
  return (socketPath, name) => {
    const grpc: typeof import('../../packages/grpc/src/grpc-js.cjs') = createRequire(import.meta.url)(
      '../../packages/grpc/dist/grpc-js.cjs',
    );
    const client = new grpc.Client(`unix:${socketPath}`, grpc.credentials.createInsecure(), {
      'grpc.max_receive_message_length': 16 * 1024 * 1024,
      'grpc.enable_channelz': 0,
      'grpc.service_config_disable_resolution': 1,
    });
    const method = runtimeServiceMethods[name];
    const empty = Buffer.alloc(0);
    const encode = hasCodecAndDeadline ? (request: object) => method.request.encode(request) : () => empty;
    const decode: (bytes: Buffer) => unknown = hasCodecAndDeadline ? (bytes) => method.response.decode(bytes) : asIs;
    return {
      call: () =>
        new Promise((resolve, reject) => {
          const options = hasCodecAndDeadline ? { deadline: Date.now() + deadlineMs } : {};
          client.makeUnaryRequest(method.path, encode, decode, {}, options, (error, response) =>
            error ? reject(error) : resolve(response),
          );
        }),
      close: () => client.close(),
    };
  };
}

/** The client of `@nodeagent/grpc`. */
const grpcClient: Create = (socketPath, name) => {
  const client = createGrpcClient({ socketPath, maxReceiveMessageBytes: 16 * 1024 * 1024 });
  const method = runtimeServiceMethods[name] as (typeof runtimeServiceMethods)['version'];
  return { call: () => client.unary(method, {}, { timeoutMs: deadlineMs }), close: () => client.close() };
};

/** The client of the agent, with the options of its calls. */
function criClient(options: CallOptions): Create {
  return (socketPath, method) => {
    const client = createCriClient({ endpoint: socketPath });
    return { call: () => client.runtime[method]({}, options), close: () => client.close() };
  };
}

export const layers: Readonly<Record<string, Create>> = {
  socket,
  'node:http2': http2,
  'grpc-js': grpcJs(false),
  'grpc-js, codec, deadline': grpcJs(true),
  '@nodeagent/grpc': grpcClient,
  'cri-client': criClient({}),
  'cri-client, signal': criClient({ signal: new AbortController().signal }),
};
