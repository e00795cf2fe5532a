import type { Clock, Logger } from '@nodeagent/api';
import { checkpointHandler } from './handlers/checkpoint.js';
import { configzHandler } from './handlers/configz.js';
import { containerLogsHandler } from './handlers/container-logs.js';
import { healthzHandler } from './handlers/healthz.js';
import { metricsHandler } from './handlers/metrics.js';
import { podsHandler, runningPodsHandler } from './handlers/pods.js';
import { pprofHandler } from './handlers/pprof.js';
import { runHandler } from './handlers/run.js';
import { summaryHandler } from './handlers/stats.js';
import { attachHandler, execHandler, portForwardHandler } from './handlers/stream.js';
import { systemLogsHandler } from './handlers/system-logs.js';
import { verbosityHandler } from './handlers/verbosity.js';
import type { NodeServerOptions } from './options.js';
import { relayStream } from './relay-stream.js';
import type { Handlers } from './serve-request.js';

/** Everything that the options have a port for. */
export function allHandlers(options: NodeServerOptions, ports: { clock: Clock; logger: Logger; ended: AbortSignal }): Handlers {
  const {
    pods,
    logs,
    streaming,
    relay = relayStream,
    runningPods,
    stats,
    registry,
    ui,
    healthChecks,
    runInContainer,
    checkpoint,
    configz,
    systemLogsDir,
    setVerbosity,
    settings: { enableHeapSnapshots = false } = {},
  } = options;
  const stream = streaming && { ...ports, pods, streaming, relay };
  return {
    healthz: healthzHandler(healthChecks, registry),
    pods: podsHandler(pods),
    metrics: metricsHandler(registry, stats, ports.clock),
    ...(runningPods && { runningpods: runningPodsHandler(runningPods) }),
    ...(stats && { summary: summaryHandler(stats) }),
    ...(logs && { containerLogs: containerLogsHandler(pods, logs, ports.clock) }),
    ...(stream && { exec: execHandler(stream), attach: attachHandler(stream), portForward: portForwardHandler(stream) }),
    ...(runInContainer && { run: runHandler(pods, runInContainer) }),
    ...(checkpoint && { checkpoint: checkpointHandler(pods, checkpoint) }),
    ...(configz && { configz: configzHandler(configz) }),
    ...(systemLogsDir !== undefined && { logs: systemLogsHandler(systemLogsDir) }),
    ...(setVerbosity && { flags: verbosityHandler(setVerbosity) }),
    pprof: pprofHandler({ clock: ports.clock, enableHeapSnapshots }),
    ...(ui && { ui: ({ request, response }) => ui(request, response) }),
  };
}
