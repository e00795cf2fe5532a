import { type Clock, invalidOption, type Logger, silentLogger, systemClock } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import type { OnCriCall } from './call-record.js';
import { checkRuntime, type RuntimeFacts } from './check-runtime.js';
import { createConnection } from './connection.js';
import { defaultRequestTimeoutMs } from './deadline.js';
import { socketPath } from './endpoint.js';
import { imageServiceMethods, runtimeServiceMethods } from './generated/codec.js';
import { serviceOver } from './service-calls.js';

/** Options of {@link createCriClient}. */
export interface CriClientOptions {
  /** `unix:///path/to/socket`, or the absolute path of the socket. */
  endpoint: string;
  /** Endpoint of the image service, if it has a separate socket. Default: `endpoint`. */
  imageEndpoint?: string;
  /** The kubelet's runtimeRequestTimeout in milliseconds, which determines the deadline of each call; 0 for no deadlines. Default 120000. */
  timeoutMs?: number;
  /** Called after each call, with its outcome. */
  onCall?: OnCriCall;
  /** Silent by default. */
  logger?: Logger;
  /** Measures calls for `onCall`. Deadlines are gRPC's and run in real time. Default: the system clock. */
  clock?: Clock;
}

/** A client of a container runtime behind a CRI socket. All methods may be called concurrently. */
export interface CriClient {
  /** RuntimeService of the endpoint. Usable without `connect`: each call connects if there is no connection. */
  readonly runtime: RuntimeService;
  /** ImageService of `imageEndpoint`. */
  readonly image: ImageService;
  /**
   * Checks that the runtime responds and serves the version of the CRI that a kubelet requires. Returns its name and versions. Idempotent.
   *
   * @throws NodeAgentError CRI_VERSION_UNSUPPORTED, or the code of the failed call (CRI_UNAVAILABLE with a hint when the socket is missing)
   */
  connect(signal?: AbortSignal): Promise<RuntimeFacts>;
  /** Ends running calls with CRI_CANCELLED and closes the connections; later calls fail with CRI_CLIENT_CLOSED. Idempotent. */
  close(): void;
}

/**
 * Creates a client of the CRI services behind a unix socket. It does not connect until the first call. After a restart of the runtime the
 * client reconnects; until then calls fail with CRI_UNAVAILABLE at once.
 *
 * Every error is a NodeAgentError: `code` is the gRPC status (`CRI_NOT_FOUND`), `message` is the runtime's, `details` has
 * `method`, `grpcCode` and `grpcStatus`. A call whose signal aborts rejects with the signal's reason.
 *
 * A stream's call starts with the first `next()` and ends with the loop; each loop over the same iterable is a separate call.
 *
 * @throws NodeAgentError CRI_ENDPOINT_INVALID, InvalidOption
 */
export function createCriClient(options: CriClientOptions): CriClient {
  const { timeoutMs = defaultRequestTimeoutMs, onCall, logger = silentLogger, clock = systemClock } = options;
  if (!(timeoutMs >= 0)) {
    throw invalidOption('timeoutMs', 'a number of milliseconds from 0', timeoutMs);
  }
  const runtimePath = socketPath(options.endpoint, 'endpoint');
  const imagePath = options.imageEndpoint === undefined ? runtimePath : socketPath(options.imageEndpoint, 'imageEndpoint');
  const runtimeConnection = createConnection(runtimePath);
  const imageConnection = imagePath === runtimePath ? runtimeConnection : createConnection(imagePath);
  const calls = { timeoutMs, onCall, clock, logger };
  const runtime: RuntimeService = serviceOver(runtimeConnection, runtimeServiceMethods, calls);
  const image: ImageService = serviceOver(imageConnection, imageServiceMethods, calls);

  return {
    runtime,
    image,
    async connect(signal) {
      const callOptions = signal === undefined ? {} : { signal };
      const facts = await checkRuntime(runtime, runtimeConnection.endpoint, callOptions, logger);
      if (imageConnection !== runtimeConnection) await image.imageFsInfo({}, callOptions);
      const { runtimeName, runtimeVersion, runtimeApiVersion, cgroupDriver } = facts;
      const { endpoint } = runtimeConnection;
      logger.info({ endpoint, runtimeName, runtimeVersion, runtimeApiVersion, cgroupDriver }, 'connected to the container runtime');
      return facts;
    },
    close() {
      runtimeConnection.close();
      imageConnection.close();
    },
  };
}
