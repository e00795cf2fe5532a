import { type Clock, type Container, errorMessage, type ProbeHandler, systemClock, withDeadline } from '@nodeagent/api';
import { deadlineExceeded } from './deadline-exceeded.js';
import { execProbe, probeCommand, type RunCommand } from './handlers/exec.js';
import { grpcProbe } from './handlers/grpc.js';
import { nodeHttpExchange } from './handlers/http-exchange.js';
import { type HttpExchange, httpProbe } from './handlers/http-get.js';
import { buildHttpProbeRequest } from './handlers/http-request.js';
import { tcpProbe } from './handlers/tcp-socket.js';
import { probePort } from './ports.js';
import { errored, type ProbeAttempt } from './probe-attempt.js';

/** What is probed. */
export interface ProbeTarget {
  /** Name or address, used where a handler names no host of its own. */
  host: string;
  /** Ports that handlers may name. */
  ports?: Container['ports'] | undefined;
  /** Variables for `$(NAME)` in the commands of exec probes. */
  env?: Container['env'] | undefined;
  /** Runs the commands of exec probes; without it they err. */
  exec?: RunCommand;
}

/** A handler and how long it may take. Of several handlers the first counts: exec, httpGet, tcpSocket, grpc. */
export interface ProbeSpec extends ProbeHandler {
  /** Default 1. */
  timeoutSeconds?: number;
}

export interface RunProbeOptions {
  /** Default: real time. */
  clock?: Clock;
  /** Default `kube-probe/1.36`. */
  userAgent?: string;
  /** Who asks no longer wants the answer: rejects with the signal's reason. */
  signal?: AbortSignal;
  /** How HTTP requests are made. Default: over `node:http`. */
  http?: HttpExchange;
}

const defaultUserAgent = 'kube-probe/1.36';

/**
 * Makes one attempt of one probe, as the kubelet does: Kubernetes documentation, "Liveness, Readiness, and Startup Probes: check
 * mechanisms". Whatever goes wrong with the target is in what it resolves to; it rejects only when the signal aborts.
 */
export async function runProbe(spec: ProbeSpec, target: ProbeTarget, options: RunProbeOptions = {}): Promise<ProbeAttempt> {
  const { clock = systemClock, userAgent = defaultUserAgent, signal: outer, http = nodeHttpExchange } = options;
  const { host, ports, env, exec: run } = target;
  const timeoutMs = (spec.timeoutSeconds || 1) * 1000;
  const within = async (action: (signal: AbortSignal) => Promise<ProbeAttempt>) => {
    const attempt = await withDeadline({ clock, timeoutMs, signal: outer, error: () => deadlineExceeded }, action);
    outer?.throwIfAborted();
    return attempt;
  };
  try {
    if (spec.exec) {
      if (run === undefined) return errored('the target has no way to run commands');
      const command = probeCommand(spec.exec, env);
      const attempt = await execProbe(command, run, timeoutMs, outer ?? new AbortController().signal);
      outer?.throwIfAborted();
      return attempt;
    }
    if (spec.httpGet) {
      const request = buildHttpProbeRequest({ action: spec.httpGet, host, ports, userAgent });
      return await within((signal) => httpProbe(request, http, signal));
    }
    if (spec.tcpSocket) {
      const { host: named, port } = spec.tcpSocket;
      const number = probePort(port, ports);
      return await within((signal) => tcpProbe(named || host, number, signal));
    }
    if (spec.grpc) {
      const { port, service = '' } = spec.grpc;
      return await within((signal) => grpcProbe({ host, port: probePort(port, []), service, userAgent, timeoutMs }, signal));
    }
  } catch (error) {
    outer?.throwIfAborted();
    return errored(errorMessage(error));
  }
  return errored('missing probe handler');
}
