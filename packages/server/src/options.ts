import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Logger, Metrics, Random } from '@nodeagent/api';
import type { AuthenticationOptions } from './access/authenticator.js';
import type { AuthorizationOptions } from './access/authorization-options.js';
import type { ListenAddress } from './http/listener.js';
import type { MetricsRegistry } from './metrics/registry.js';
import type {
  CheckpointContainer,
  HealthChecks,
  NodeLogs,
  NodePods,
  NodeStatsPages,
  NodeStreaming,
  RunInContainer,
  RunningPod,
} from './ports.js';
import type { RelayStreamOptions } from './relay-stream.js';
import type { RouteSwitches } from './route-switches.js';
import type { TlsSource } from './tls/tls-source.js';

/** The server for who shows who they are. */
export interface HttpsOptions extends Partial<ListenAddress> {
  /** The server's certificate, and the authorities of client certificates. */
  tls: TlsSource;
  authentication: AuthenticationOptions;
  authorization: AuthorizationOptions;
}

/** Options of `createNodeServer`. What has no port is not served: 404. */
export interface NodeServerOptions {
  /** What the API server is asked about requests: `nodes/NAME`. */
  nodeName: string;
  pods: NodePods;
  /** Default port 10250. Default: none. */
  https?: HttpsOptions;
  /** Figures and pods for everybody, without a certificate or a question. Default: none. */
  readOnly?: ListenAddress;
  /** `/healthz` alone, with `ping` as its only check. Default address 127.0.0.1. Default: none. */
  healthz?: ListenAddress;
  healthChecks?: HealthChecks;
  logs?: NodeLogs;
  streaming?: NodeStreaming;
  /** Hands upgraded connections through. Default: `relayStream`. */
  relay?(options: RelayStreamOptions): void;
  runningPods?(signal: AbortSignal): Promise<readonly RunningPod[]>;
  runInContainer?: RunInContainer;
  checkpoint?: CheckpointContainer;
  stats?: NodeStatsPages;
  /** The agent's own metrics, `/metrics` and `/metrics/probes`. */
  registry?: MetricsRegistry;
  /** Answers what is below `/ui/`, behind authentication and authorization as everything else. */
  ui?(request: IncomingMessage, response: ServerResponse): void;
  /** `/configz`: the configuration in force, with kind and version. */
  configz?(): object | Promise<object>;
  /** The folder that `/logs/` shows, such as `/var/log`. */
  systemLogsDir?: string;
  /** Changes how much is logged, as klog's levels count: `/debug/flags/v`. */
  setVerbosity?(level: number): void;
  settings?: NodeServerSettings;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  /** Where requests are counted. Default: `registry`, else nowhere. */
  metrics?: Metrics;
}

/** Settings with the names and defaults of KubeletConfiguration. */
export interface NodeServerSettings extends Omit<RouteSwitches, 'ui'> {
  /**
   * Maximum number of connections of each port. At the limit the oldest one whose client has not authenticated is closed for a new one; if
   * all have, the new one is closed. Default 1000.
   */
  maxConnections?: number;
  /**
   * Serves `/debug/pprof/heapsnapshot` to everyone who may get `nodes/proxy`. A snapshot holds all of the process's memory: the server's
   * private key, tokens, and the Secrets of all pods. The process does nothing else while it is taken, for seconds. Default false.
   */
  enableHeapSnapshots?: boolean;
}
