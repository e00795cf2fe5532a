import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOptions, ContainerEventResponse, GetEventsRequest, ImageService, RuntimeService } from '@nodeagent/cri-api';
import { createCriClient, serveCri } from '@nodeagent/cri-client';
import { createArrivals } from './arrivals.js';
import type { Deliveries } from './deliveries.js';
import { createTransit } from './transit.js';

/** The services of a container runtime. */
export interface CriServices {
  runtime: RuntimeService;
  image: ImageService;
}

/** A container runtime behind a Unix socket, for one agent. */
export interface CriSocket {
  /** A client of the socket, without deadlines and streamed listings: the agent's deadlines are in virtual time. */
  readonly cri: CriServices;
  /** Ends the connection, as a kill of the agent does: its calls never settle, and the runtime completes those that it received. Idempotent. */
  disconnect(): Promise<void>;
}

type UnaryMethod = (request: unknown, options?: CallOptions) => Promise<unknown>;

/** Serves the runtime on a new socket. A client's call waits until the server listens. */
export function createCriSocket(services: CriServices, deliveries: Deliveries): CriSocket {
  const folder = mkdtempSync(join(tmpdir(), 'simulated-cri-'));
  const socket = join(folder, 'cri.sock');
  const transit = createTransit(deliveries);
  const client = createCriClient({ endpoint: socket, timeoutMs: 0 });

  const serveUnary =
    (method: UnaryMethod): UnaryMethod =>
    async (request, options) => {
      const call = transit.receive(options?.signal);
      await call.delivered;
      return method(request, { signal: call.signal }).finally(call.end);
    };

  async function* serveEvents(request: GetEventsRequest, options?: CallOptions): AsyncGenerator<ContainerEventResponse> {
    const call = transit.receive(options?.signal);
    try {
      await call.delivered;
      for await (const event of services.runtime.getContainerEvents(request, { signal: call.signal })) {
        call.sendMessage();
        yield event;
      }
    } finally {
      call.end();
    }
  }

  const server = serveCri(
    {
      runtime: { ...unaryMethods(services.runtime, serveUnary), getContainerEvents: serveEvents },
      image: unaryMethods(services.image, serveUnary),
    },
    { socket, gracePeriodMs: 0 },
  );

  const callUnary =
    (method: UnaryMethod): UnaryMethod =>
    (request, options) =>
      new Promise((resolve, reject) => {
        const call = transit.send(options?.signal);
        server
          .then(() => method(request, { signal: call.signal }))
          .then(
            (response) => call.end(() => resolve(response)),
            (error) => call.end(() => reject(error)),
          );
      });

  async function* callEvents(request: GetEventsRequest, options?: CallOptions): AsyncGenerator<ContainerEventResponse> {
    const call = transit.send(options?.signal, true);
    const events = createArrivals<ContainerEventResponse>();
    const read = async () => {
      await server;
      for await (const event of client.runtime.getContainerEvents(request, { signal: call.signal })) {
        call.receiveMessage(() => events.push(event));
      }
    };
    read().then(
      () => call.end(() => events.end({})),
      (error) => call.end(() => events.end({ error })),
    );
    yield* events;
  }

  let disconnected: Promise<void> | undefined;
  const disconnect = async () => {
    transit.stop();
    client.close();
    await (await server).close();
    rmSync(folder, { recursive: true });
  };

  return {
    cri: {
      runtime: { ...unaryMethods(client.runtime, callUnary), getContainerEvents: callEvents },
      image: unaryMethods(client.image, callUnary),
    },
    disconnect() {
      disconnected ??= disconnect();
      return disconnected;
    },
  };
}

/** The service with its unary methods wrapped. */
function unaryMethods<Service extends object>(service: Service, wrap: (method: UnaryMethod) => UnaryMethod): Service {
  const methods = Object.entries(service).filter(([name]) => !name.startsWith('stream'));
  return Object.fromEntries(methods.map(([name, method]) => [name, wrap(method)])) as Service;
}
