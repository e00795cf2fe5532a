import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Logger, Metrics, Random } from '@nodeagent/api';
import type { AuthenticationOptions } from './access/authenticator.js';
import type { AuthorizationOptions } from './access/authorization-options.js';
import type { ListenAddress } from './http/listener.js';
import type { MetricsRegistry } from './metrics/registry.js';
import type {
  AgentVersions,
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
import type { NodeServerSettings } from './settings.js';
import type { TlsSource } from './tls/tls-source.js';

/** The HTTPS server with authentication. */
export interface HttpsOptions extends Partial<ListenAddress> {
  /** The serving certificate, and the CAs of client certificates. */
  tls: TlsSource;
  authentication: AuthenticationOptions;
  authorization: AuthorizationOptions;
}

/** The client of a request of a user interface. */
export interface UiViewer {
  /** Whether the client may make this request, such as `GET /containerLogs/NAMESPACE/POD/CONTAINER`, and the server serves it. */
  isAllowed(method: string, path: string): Promise<boolean>;
}

/** Options of `createNodeServer`. An endpoint without its port responds with 404. */
export interface NodeServerOptions {
  /** The node's name, for authorization of `nodes/NAME`. */
  nodeName: string;
  pods: NodePods;
  /** The HTTPS server; its default port is 10250. Default: not served. */
  https?: HttpsOptions;
  /** The read-only server: stats, pods and health without TLS, authentication and authorization. Default: not served. */
  readOnly?: ListenAddress;
  /** The healthz server: only `/healthz`, with the checks `ping` and `threadpool`. Its default address is 127.0.0.1. Default: not served. */
  healthz?: ListenAddress;
  healthChecks?: HealthChecks;
  logs?: NodeLogs;
  streaming?: NodeStreaming;
  /** Relays upgraded connections to the runtime. Default: `relayStream`. */
  relay?(options: RelayStreamOptions): void;
  runningPods?(signal: AbortSignal): Promise<readonly RunningPod[]>;
  runInContainer?: RunInContainer;
  checkpoint?: CheckpointContainer;
  stats?: NodeStatsPages;
  /** The agent's own metrics, `/metrics` and `/metrics/probes`. Default: none. */
  registry?: MetricsRegistry;
  /** Serves paths below `/ui/`, with authentication and authorization; `viewer` is the client of the request. Default: none. */
  ui?(request: IncomingMessage, response: ServerResponse, viewer: UiViewer): void;
  /** `/configz`: the effective configuration, with kind and version. Default: none. */
  configz?(): object | Promise<object>;
  /** `/flagz`: the flags of the agent's command line, by name, without secrets. Default: none. */
  flagz?(): Readonly<Record<string, string>>;
  /** `/statusz`: the versions of the agent; its start is the creation of the server. Default: none. */
  statusz?: AgentVersions;
  /** The directory that `/logs/` serves, such as `/var/log`. Default: none. */
  systemLogsDir?: string;
  /** Sets the log verbosity in klog levels: `/debug/flags/v`. Default: none. */
  setVerbosity?(level: number): void;
  settings?: NodeServerSettings;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  /** Metrics of requests. Default: `registry`, else none. */
  metrics?: Metrics;
}
