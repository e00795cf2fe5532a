import type { Clock, Container, Pod, PodStatus, Probe } from '@nodeagent/api';
import { formatPod } from '@nodeagent/api/helpers';
import type { CommandResult } from './handlers/exec.js';
import { errored, type ProbeAttempt } from './probe-attempt.js';
import type { ProbeNetwork } from './probe-network.js';
import type { ProbeTarget, RunProbe } from './run-probe.js';

/** Makes the attempts of containers' probes. As in the kubelet, stopping a worker does not abort its attempt; only `abort` does. */
export interface ContainerAttempts {
  attempt(pod: Pod, container: Container, probe: Probe, status: PodStatus, containerId: string): Promise<ProbeAttempt>;
  /** Aborts the attempts in flight. */
  abort(reason: Error): void;
}

interface ContainerAttemptsOptions {
  run: RunProbe;
  runInContainer:
    | ((containerId: string, command: string[], options: { timeoutMs: number; signal: AbortSignal }) => Promise<CommandResult>)
    | undefined;
  clock: Clock;
  userAgent: string | undefined;
  network: ProbeNetwork | undefined;
}

export function createContainerAttempts({ run, runInContainer, clock, userAgent, network }: ContainerAttemptsOptions): ContainerAttempts {
  const inFlight = new Set<AbortController>();
  return {
    async attempt(pod, container, probe, status, containerId) {
      if (!probe.exec && !probe.httpGet && !probe.tcpSocket && !probe.grpc) {
        return errored(`missing probe handler for ${formatPod(pod)}:${container.name}`);
      }
      const id = containerId.replace(/^.*:\/\//, '');
      const target: ProbeTarget = {
        host: status.podIP ?? '',
        ports: container.ports,
        env: container.env,
        ...(runInContainer && { exec: (command, limits) => runInContainer(id, command, limits) }),
      };
      const cancel = new AbortController();
      inFlight.add(cancel);
      const options = { clock, signal: cancel.signal, ...(userAgent !== undefined && { userAgent }), ...(network && { network }) };
      return run(probe, target, options).finally(() => inFlight.delete(cancel));
    },
    abort(reason) {
      for (const controller of inFlight) controller.abort(reason);
    },
  };
}
