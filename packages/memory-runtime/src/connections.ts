import type { AcceptedConnection } from './program/network.js';
import type { ContainerRecord, SandboxRecord } from './records.js';

/** Connects to a port of a pod from inside it; undefined: the connection is refused. `now` is the clock's time in milliseconds. */
export function connectToSandbox({ containers }: SandboxRecord, port: number, now: number): AcceptedConnection | undefined {
  const running = [...containers].filter(({ state }) => state === 'CONTAINER_RUNNING');
  for (const { process } of running) {
    const connection = process?.connect(port);
    if (connection) return connection;
  }
  const besideProgram = running.some(({ process }) => process !== undefined);
  return running.some((container) => servesByScript(container, port, now, !besideProgram)) ? scriptedServer : undefined;
}

interface Target {
  address: string;
  port: number;
  /** The node's addresses, at which pods in the host network respond. */
  hostIPs: readonly string[];
  /** The clock's time in milliseconds. */
  now: number;
}

/** Connects to an address of a node's pods. `refused`: no server listens on the port; undefined: no pod has the address. */
export function connectTo(sandboxes: Iterable<SandboxRecord>, target: Target): AcceptedConnection | 'refused' | undefined {
  const { address, port, hostIPs, now } = target;
  const isOfNode = hostIPs.includes(address);
  let found = isOfNode;
  for (const sandbox of sandboxes) {
    if (!sandbox.ips.includes(address) && !(isOfNode && sandbox.ips.length === 0)) continue;
    found ||= sandbox.state === 'SANDBOX_READY';
    const connection = connectToSandbox(sandbox, port, now);
    if (connection) return connection;
  }
  return found ? 'refused' : undefined;
}

/** The server of a container without a program. */
const scriptedServer: AcceptedConnection = {
  request: async () => ({ status: 200, headers: {}, body: '' }),
  health: async () => 'SERVING',
};

/** By its script; without one as `otherwise`: beside a program it leaves the ports to it. */
function servesByScript({ behaviour, startedMs, process }: ContainerRecord, port: number, now: number, otherwise: boolean): boolean {
  if (process) return false;
  const { serves = otherwise } = behaviour;
  return typeof serves === 'function' ? serves(now - startedMs, port) : serves;
}
