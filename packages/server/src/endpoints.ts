import type { AnyEndpoint, Endpoint } from './endpoint.js';
import { attachEndpoint } from './endpoints/attach.js';
import { checkpointEndpoint } from './endpoints/checkpoint.js';
import { configzEndpoint } from './endpoints/configz.js';
import { containerLogsEndpoint } from './endpoints/container-logs.js';
import { execEndpoint } from './endpoints/exec.js';
import { flagsEndpoint } from './endpoints/flags.js';
import { flagzEndpoint } from './endpoints/flagz.js';
import { healthzEndpoint } from './endpoints/healthz.js';
import { metricsEndpoint } from './endpoints/metrics.js';
import { podsEndpoint } from './endpoints/pods.js';
import { portForwardEndpoint } from './endpoints/port-forward.js';
import { pprofEndpoint } from './endpoints/pprof.js';
import { runEndpoint } from './endpoints/run.js';
import { runningPodsEndpoint } from './endpoints/running-pods.js';
import { statuszEndpoint } from './endpoints/statusz.js';
import { summaryEndpoint } from './endpoints/summary.js';
import { systemLogsEndpoint } from './endpoints/system-logs.js';
import { uiEndpoint } from './endpoints/ui.js';

const served = [
  healthzEndpoint,
  podsEndpoint,
  runningPodsEndpoint,
  summaryEndpoint,
  metricsEndpoint,
  containerLogsEndpoint,
  execEndpoint,
  attachEndpoint,
  portForwardEndpoint,
  runEndpoint,
  checkpointEndpoint,
  systemLogsEndpoint,
  configzEndpoint,
  flagzEndpoint,
  statuszEndpoint,
  flagsEndpoint,
  pprofEndpoint,
  uiEndpoint,
] as const;

/** All endpoints of the server. Routing, authorization, metrics labels and handlers use this list. */
export const endpoints: readonly AnyEndpoint[] = served;

type RouteOf<Served> = Served extends Endpoint<infer Name, infer Params> ? { name: Name } & Params : never;

/** The endpoint of a request, with the parameters of its path. */
export type Route = RouteOf<(typeof served)[number]>;
