import { createServer } from 'node:http2';
import { errorCode, NodeAgentError } from '@nodeagent/api';
import type { Container, RuntimeService } from '@nodeagent/cri-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collect, connected, tempSocket } from '../test/temp-socket.js';
import type { CriCallRecord } from './call-record.js';
import { createCriClient } from './client.js';
import { criError } from './errors.js';
import { imageServiceMethods, runtimeServiceMethods } from './generated/codec.js';
import { serveCri } from './server.js';

async function failure(call: Promise<unknown>): Promise<NodeAgentError> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(NodeAgentError);
  return error as NodeAgentError;
}

const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

const container = (id: string): Container => ({
  ...{ id, podSandboxId: 'p', metadata: { name: 'main', attempt: 0 }, imageRef: '', state: 'CONTAINER_RUNNING', createdAt: 5n },
  ...{ labels: {}, annotations: {}, imageId: '' },
});

describe('every method', () => {
  /** Both services, answering each call with an empty message, or two for a stream. */
  function generic(calls: string[]) {
    const service = (methods: typeof runtimeServiceMethods | typeof imageServiceMethods) =>
      Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [
          name,
          method.streams
            ? async function* () {
                calls.push(method.name);
                yield method.response.decode(Buffer.alloc(0));
                yield method.response.decode(Buffer.alloc(0));
              }
            : async () => {
                calls.push(method.name);
                return method.response.decode(Buffer.alloc(0));
              },
        ]),
      );
    return { runtime: service(runtimeServiceMethods), image: service(imageServiceMethods) };
  }

  it('works over a socket', async () => {
    const calls: string[] = [];
    const client = await connected(generic(calls));
    for (const [methods, service] of [
      [runtimeServiceMethods, client.runtime],
      [imageServiceMethods, client.image],
    ] as const) {
      for (const [name, method] of Object.entries(methods)) {
        const answer: unknown = Reflect.apply(Reflect.get(service, name), service, [{}]);
        const expected = method.response.decode(Buffer.alloc(0));
        if (!method.streams) expect(await answer).toEqual(expected);
        else expect(await collect(answer as AsyncIterable<unknown>)).toEqual([expected, expected]);
      }
    }
    expect(calls).toHaveLength(41);
    expect(new Set(calls).size).toBe(41);
  });

  it('fails with Unimplemented if the implementation lacks it', async () => {
    const client = await connected({ runtime: {} });
    const error = await failure(client.runtime.status({}));
    expect(error).toMatchObject({
      code: 'CRI_UNIMPLEMENTED',
      message: 'unknown method Status for service runtime.v1.RuntimeService',
      retryable: false,
      details: { method: 'Status', grpcCode: 12, grpcStatus: 'Unimplemented' },
    });
    expect(errorCode(await failure(client.image.listImages({})))).toBe('CRI_UNIMPLEMENTED');
    expect(errorCode(await failure(collect(client.runtime.getContainerEvents({}))))).toBe('CRI_UNIMPLEMENTED');
  });
});

describe('errors', () => {
  it('have the code and message of the runtime, and whether to retry', async () => {
    const errors: Record<string, unknown> = {
      missing: criError('CRI_NOT_FOUND', 'container "x" not found'),
      busy: criError('CRI_ABORTED', 'busy'),
      plain: new Error('failed to create shim: ünïcode'),
      foreign: Object.assign(new Error('no'), { code: 'ENOENT' }),
    };
    const client = await connected({
      runtime: {
        startContainer: async ({ containerId = '' }) => {
          throw errors[containerId];
        },
      },
    });
    const start = (containerId: string) => failure(client.runtime.startContainer({ containerId }));
    expect(await start('missing')).toMatchObject({ code: 'CRI_NOT_FOUND', message: 'container "x" not found', retryable: false });
    expect(await start('busy')).toMatchObject({ code: 'CRI_ABORTED', retryable: true });
    expect(await start('plain')).toMatchObject({ code: 'CRI_UNKNOWN', message: 'failed to create shim: ünïcode', retryable: false });
    expect(await start('foreign')).toMatchObject({ code: 'CRI_UNKNOWN', message: 'no' });
  });

  it('have a hint for a missing socket', async () => {
    const endpoint = `unix://${tempSocket()}`;
    const client = createCriClient({ endpoint });
    onTestFinished(() => client.close());
    const error = await failure(client.connect());
    expect(error).toMatchObject({ code: 'CRI_UNAVAILABLE', retryable: true, details: { method: 'Version' } });
    expect(error.hint).toContain(`The socket ${endpoint} does not exist. Start the container runtime`);
  });

  it('name the request that cannot be encoded', async () => {
    const client = await connected({});
    const request = JSON.parse('{"filter":{"state":{"state":"RUNNING"}}}');
    expect(await failure(client.runtime.listContainers(request))).toMatchObject({
      code: 'CRI_INVALID_ARGUMENT',
      message: expect.stringContaining('ListContainers: "RUNNING" is none of'),
    });
  });

  it('report Internal for a response that cannot be encoded', async () => {
    const runtime: Partial<RuntimeService> = { listContainers: async () => JSON.parse('{"containers":[{"state":"RUNNING"}]}') };
    const client = await connected({ runtime });
    expect(await failure(client.runtime.listContainers({}))).toMatchObject({
      code: 'CRI_INTERNAL',
      message: expect.stringContaining('cannot encode the response of ListContainers'),
    });
  });

  it('report that the runtime exited during a call', async () => {
    const socket = tempSocket();
    const server = createServer((request) => request.stream.session?.destroy());
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const client = createCriClient({ endpoint: socket, timeoutMs: 1000 });
    onTestFinished(() => {
      client.close();
      server.close();
    });
    expect(await failure(client.runtime.listContainers({}))).toMatchObject({ code: 'CRI_UNAVAILABLE', retryable: true });
  });
});

describe('deadlines and cancellation', () => {
  it('cancels a call at its deadline, at the runtime too', async () => {
    let aborted: unknown;
    const hangs = async (_: unknown, options?: { signal?: AbortSignal }): Promise<never> => {
      options?.signal?.addEventListener('abort', () => {
        aborted = options.signal?.reason;
      });
      return untilAborted(options?.signal);
    };
    const client = await connected({ runtime: { startContainer: hangs, stopContainer: hangs } }, { timeoutMs: 30 });
    expect(await failure(client.runtime.startContainer({ containerId: 'x' }))).toMatchObject({
      code: 'CRI_DEADLINE_EXCEEDED',
      message: 'context deadline exceeded',
      details: { method: 'StartContainer', grpcCode: 4 },
    });
    await expect.poll(() => errorCode(aborted)).toBe('CRI_CANCELLED');
    const early = await Promise.race([
      failure(client.runtime.stopContainer({ timeout: 30n }, { timeoutMs: 20 })),
      client.runtime.stopContainer({ timeout: 30n }),
    ]);
    expect(early).toMatchObject({ code: 'CRI_DEADLINE_EXCEEDED' });
    client.close();
  });

  it('treats a deadline beyond the maximum of timers as none', async () => {
    const client = await connected({ runtime: { removeContainer: async () => ({}) } });
    expect(await client.runtime.removeContainer({}, { timeoutMs: 1e15 })).toEqual({});
    expect(await client.runtime.removeContainer({}, { timeoutMs: Number.POSITIVE_INFINITY })).toEqual({});
    expect(await client.runtime.removeContainer({}, { timeoutMs: 0 })).toEqual({});
  });

  it('rejects with the reason of the signal and cancels the call at the runtime', async () => {
    let resolveStarted: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      resolveStarted = resolve;
    });
    let seen: AbortSignal | undefined;
    const client = await connected({
      image: {
        pullImage: async (_, options) => {
          seen = options?.signal;
          resolveStarted();
          return untilAborted(options?.signal);
        },
      },
    });
    const controller = new AbortController();
    const call = client.image.pullImage({}, { signal: controller.signal });
    await started;
    const reason = new Error('pod deleted');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect.poll(() => seen?.aborted).toBe(true);
    await expect(client.image.pullImage({}, { signal: controller.signal })).rejects.toBe(reason);
    await expect(collect(client.runtime.getContainerEvents({}, { signal: controller.signal }))).rejects.toBe(reason);
  });

  it('ends running calls and rejects later ones when it closes', async () => {
    const client = await connected({
      runtime: {
        status: (_, options) => untilAborted(options?.signal),
        async *getContainerEvents(_, options) {
          yield await untilAborted(options?.signal);
        },
      },
    });
    const running = failure(client.runtime.status({}));
    const stream = failure(collect(client.runtime.getContainerEvents({})));
    client.close();
    client.close();
    expect(await running).toMatchObject({ code: 'CRI_CANCELLED', message: 'the CRI client was closed' });
    expect(await stream).toMatchObject({ code: 'CRI_CANCELLED' });
    expect(errorCode(await failure(client.runtime.status({})))).toBe('CRI_CLIENT_CLOSED');
    expect(errorCode(await failure(collect(client.runtime.getContainerEvents({}))))).toBe('CRI_CLIENT_CLOSED');
  });
});

describe('connect', () => {
  const version = async () => ({ version: '0.1.0', runtimeName: 'test', runtimeVersion: '1.2', runtimeApiVersion: 'v1' });

  it('returns the name and version of the runtime', async () => {
    let asked: string | undefined;
    const client = await connected({
      runtime: {
        version: (request) => {
          asked = request.version;
          return version();
        },
        runtimeConfig: async () => ({ linux: { cgroupDriver: 'CGROUPFS' } }),
      },
    });
    expect(await client.connect()).toEqual({ ...(await version()), cgroupDriver: 'CGROUPFS' });
    expect(asked).toBe('0.1.0');
  });

  it('tolerates a missing RuntimeConfig, but no other error of it', async () => {
    expect(await (await connected({ runtime: { version } })).connect()).toEqual(await version());
    const runtimeConfig = async () => {
      throw new Error('broken');
    };
    expect(await failure((await connected({ runtime: { version, runtimeConfig } })).connect())).toMatchObject({ message: 'broken' });
  });

  it('rejects another version of the runtime API', async () => {
    const client = await connected({ runtime: { version: async () => ({ ...(await version()), version: '0.2.0' }) } });
    const error = await failure(client.connect());
    expect(error).toMatchObject({ code: 'CRI_VERSION_UNSUPPORTED', message: 'runtime api version is not supported: "0.2.0"' });
    expect(error.hint).toContain('test 1.2');
  });

  it('fails with a hint for a socket that does not serve CRI', async () => {
    const client = await connected({ runtime: {} });
    expect((await failure(client.connect())).hint).toContain('does not serve CRI v1');
  });

  it('checks a separate image endpoint as well', async () => {
    const images = await serveCri({ image: {} }, { socket: tempSocket() });
    onTestFinished(() => images.close());
    const client = await connected({ runtime: { version } }, { imageEndpoint: images.socket });
    expect(await failure(client.connect())).toMatchObject({ code: 'CRI_UNIMPLEMENTED', details: { method: 'ImageFsInfo' } });
  });
});

describe('after a restart of the runtime', () => {
  it('the same client works again within two seconds', async () => {
    const socket = tempSocket();
    const runtime: Partial<RuntimeService> = { listContainers: async () => ({ containers: [container('a')] }) };
    const first = await serveCri({ runtime }, { socket, gracePeriodMs: 0 });
    const client = createCriClient({ endpoint: socket });
    onTestFinished(() => client.close());
    expect((await client.runtime.listContainers({})).containers).toHaveLength(1);

    await first.close();
    for (let attempt = 0; attempt < 3; attempt++)
      expect(errorCode(await failure(client.runtime.listContainers({})))).toBe('CRI_UNAVAILABLE');
    await new Promise((resolve) => setTimeout(resolve, 400));

    const second = await serveCri({ runtime }, { socket, gracePeriodMs: 0 });
    onTestFinished(() => second.close());
    await expect.poll(async () => (await client.runtime.listContainers({})).containers.length, { timeout: 2000, interval: 20 }).toBe(1);
  });
});

describe('messages', () => {
  it('can have up to 16 MiB', async () => {
    const client = await connected({
      runtime: {
        execSync: async ({ timeout = 0n }) => ({ stdout: new Uint8Array(Number(timeout)), stderr: new Uint8Array(), exitCode: 0 }),
      },
    });
    const exec = (bytes: number) => client.runtime.execSync({ timeout: BigInt(bytes) });
    const limit = 16 * 1024 * 1024;
    expect((await exec(limit - 16)).stdout).toHaveLength(limit - 16);
    expect(await failure(exec(limit))).toMatchObject({ code: 'CRI_RESOURCE_EXHAUSTED', message: expect.stringContaining('16777216') });
  });

  it('do not block each other: a hundred concurrent calls', async () => {
    const client = await connected({
      runtime: { containerStatus: async ({ containerId = '' }) => ({ info: { id: containerId } }) },
    });
    const ids = Array.from({ length: 100 }, (_, index) => `c${index}`);
    const answers = await Promise.all(ids.map((containerId) => client.runtime.containerStatus({ containerId })));
    expect(answers.map((answer) => answer.info.id)).toEqual(ids);
  });
});

describe('onCall', () => {
  it('receives each outcome, and its errors do not fail the call', async () => {
    const calls: CriCallRecord[] = [];
    const client = await connected(
      {
        runtime: {
          removeContainer: async () => ({}),
          async *streamContainers() {
            yield { containers: [container('a')] };
          },
        },
      },
      {
        onCall: (call) => {
          calls.push(call);
          throw new Error('hook');
        },
      },
    );
    await client.runtime.removeContainer({ containerId: 'a' });
    await failure(client.runtime.status({}));
    await collect(client.runtime.streamContainers({}));
    expect(calls).toEqual([
      {
        service: 'RuntimeService',
        method: 'RemoveContainer',
        request: { containerId: 'a' },
        response: {},
        milliseconds: expect.any(Number),
      },
      { service: 'RuntimeService', method: 'Status', request: {}, error: expect.any(NodeAgentError), milliseconds: expect.any(Number) },
      { service: 'RuntimeService', method: 'StreamContainers', request: {}, messages: 1, milliseconds: expect.any(Number) },
    ]);
  });
});
