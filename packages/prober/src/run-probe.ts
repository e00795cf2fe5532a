import { type Clock, type Container, errorMessage, type ProbeHandler, systemClock, withDeadline } from '@nodeagent/api';
import { deadlineExceeded } from './deadline-exceeded.js';
import { execProbe, probeCommand, type RunCommand } from './handlers/exec.js';
import { httpProbe } from './handlers/http-get.js';
import { buildHttpProbeRequest } from './handlers/http-request.js';
import { probePort } from './ports.js';
import { errored, type ProbeAttempt } from './probe-attempt.js';
import type { ProbeNetwork } from './probe-network.js';

/** The target of a probe. */
export interface ProbeTarget {
  /** Host name or address, used if the handler does not name a host. Default 127.0.0.1. */
  host?: string;
  /** Named ports that handlers can refer to. */
  ports?: Container['ports'] | undefined;
  /** Variables for `$(NAME)` in the commands of exec probes. */
  env?: Container['env'] | undefined;
  /** Runs the commands of exec probes; without it they result in an error. */
  exec?: RunCommand;
}

/** A handler and its timeout. If there are several handlers, the first of exec, httpGet, tcpSocket and grpc is used. */
export interface ProbeSpec extends ProbeHandler {
  /** Default 1. */
  timeoutSeconds?: number;
}

export interface RunProbeOptions {
  /** Default: the system clock. */
  clock?: Clock;
  /** Default `kube-probe/1.36`. */
  userAgent?: string;
  /** Cancels the probe, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Reaches the targets of HTTP, TCP and gRPC probes. Default: none, such probes result in an error. */
  network?: ProbeNetwork;
}

/** Makes one attempt of a probe, as {@link runProbe} does. */
export type RunProbe = (spec: ProbeSpec, target: ProbeTarget, options?: RunProbeOptions) => Promise<ProbeAttempt>;

const defaultUserAgent = 'kube-probe/1.36';

/**
 * Makes one attempt of one probe, as the kubelet does: Kubernetes documentation, "Liveness, Readiness, and Startup Probes: check
 * mechanisms". Failures of the target are in the result; the call rejects only when the signal aborts.
 */
export async function runProbe(spec: ProbeSpec, target: ProbeTarget = {}, options: RunProbeOptions = {}): Promise<ProbeAttempt> {
  const { clock = systemClock, userAgent = defaultUserAgent, signal: outer, network } = options;
  const { host = '127.0.0.1', ports, env, exec: run } = target;
  const timeoutMs = (spec.timeoutSeconds || 1) * 1000;
  const within = async (action: (signal: AbortSignal) => Promise<ProbeAttempt>) => {
    const attempt = await withDeadline({ clock, timeoutMs, signal: outer, error: () => deadlineExceeded }, action);
    outer?.throwIfAborted();
    return attempt;
  };
  try {
    if (spec.exec) {
      if (run === undefined) return errored('the target has no exec function to run the command with');
      const command = probeCommand(spec.exec, env);
      const attempt = await execProbe(command, run, timeoutMs, outer ?? new AbortController().signal);
      outer?.throwIfAborted();
      return attempt;
    }
    if (spec.httpGet) {
      const request = buildHttpProbeRequest({ action: spec.httpGet, host, ports, userAgent });
      const { http } = reach(network);
      return await within((signal) => httpProbe(request, http, signal));
    }
    if (spec.tcpSocket) {
      const number = probePort(spec.tcpSocket.port, ports);
      const { tcp } = reach(network);
      return await within((signal) => tcp(spec.tcpSocket?.host || host, number, signal));
    }
    if (spec.grpc) {
      const { port, service = '' } = spec.grpc;
      const input = { host, port: probePort(port, []), service, userAgent, timeoutMs };
      const { grpc } = reach(network);
      return await within((signal) => grpc(input, signal));
    }
  } catch (error) {
    outer?.throwIfAborted();
    return errored(errorMessage(error));
  }
  return errored('missing probe handler');
}

function reach(network: ProbeNetwork | undefined): ProbeNetwork {
  if (network === undefined)
    throw new Error('no network to reach the target: pass `network`, such as machineProbeNetwork of @nodeagent/prober/node');
  return network;
}
