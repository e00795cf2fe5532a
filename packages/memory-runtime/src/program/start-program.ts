import type { Clock } from '@nodeagent/api';
import type { ContainerUsage } from '../behaviour.js';
import { connectToSandbox } from '../connections.js';
import type { MemoryFileSystem } from '../files/memory-file-system.js';
import { createProgramFiles, type ProgramMount } from '../files/program-files.js';
import type { ContainerRecord } from '../records.js';
import { environmentOf, stopSignalOf, terminationLogOf } from '../views.js';
import type { HttpMessage, HttpReply } from './http.js';
import { hostOf, isLoopback, NetworkError, type ProgramNetwork, portOf, requestTo } from './network.js';
import { type ProcessHost, ProgramProcess } from './process.js';
import type { ImageProgram } from './program.js';

/** The node that programs run on. */
export interface ProgramNode {
  clock: Clock;
  fileSystem: MemoryFileSystem;
  network: ProgramNetwork;
  /** The node's addresses, which pods in the host network have. */
  hostIPs: readonly string[];
}

/** Starts the program of a container. `host` are the effects on the container. */
export function startProgram(
  node: ProgramNode,
  container: ContainerRecord,
  { program, image }: ImageProgram,
  host: Pick<ProcessHost, 'write' | 'exit'> & { onUsage(usage: ContainerUsage): void },
): ProgramProcess {
  const { config, sandbox } = container;
  const { command = [], args = [] } = config;
  const { name: pod = '', namespace = '' } = sandbox.config.metadata ?? {};
  const hostname = sandbox.config.hostname || pod;
  const addresses = sandbox.ips.length > 0 ? sandbox.ips : node.hostIPs;
  const cwd = config.workingDir || image.workingDir || '/';
  const entrypoint = command.length > 0 ? command : (image.entrypoint ?? []);
  const rest = args.length > 0 || command.length > 0 ? args : (image.cmd ?? []);
  const files = createProgramFiles({
    mounts: mountsOf(node.fileSystem, container),
    cwd,
    readonlyRoot: config.linux?.securityContext?.readonlyRootfs ?? false,
  });
  const client = { namespace, pod, addresses };
  const fetch = (message: HttpMessage): Promise<HttpReply> => {
    const name = hostOf(message.url);
    const address = hostsEntry(files.exists('/etc/hosts') ? files.readText('/etc/hosts') : '', name) ?? name;
    if (!isLoopback(address) && address !== hostname && !addresses.includes(address)) {
      return node.network.fetch(address === name ? message : { ...message, url: withHost(message.url, address) }, client);
    }
    const port = portOf(message.url);
    const server = connectToSandbox(sandbox, port, node.clock.now());
    return server ? requestTo(server, message) : Promise.reject(new NetworkError('ECONNREFUSED', 'connect', `${address}:${port}`));
  };
  const process = new ProgramProcess(
    node.clock,
    {
      argv: [...entrypoint, ...rest],
      env: { ...image.env, HOSTNAME: hostname, ...environmentOf(config) },
      stopSignal: stopSignalOf(container),
      cwd,
      hostname,
      addresses,
      files,
    },
    { ...host, fetch, isPortTaken: (port) => [...sandbox.containers].some((each) => each.process?.listensOn(port)) },
  );
  process.start(program);
  return process;
}

function mountsOf(fileSystem: MemoryFileSystem, container: ContainerRecord): ProgramMount[] {
  const terminationLog = terminationLogOf(container);
  return (container.config.mounts ?? []).map(({ containerPath = '', hostPath = '', readonly = false, image }) => {
    if (image) return { containerPath, source: { kind: 'folder', entries: new Map() }, readonly: true };
    if (hostPath === terminationLog && !fileSystem.find(hostPath)) fileSystem.write(hostPath, '');
    return { containerPath, source: fileSystem.find(hostPath) ?? fileSystem.makeFolder(hostPath), readonly };
  });
}

/** The address of a name in a hosts file. */
function hostsEntry(hosts: string, name: string): string | undefined {
  for (const line of hosts.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (names.includes(name)) return address;
  }
  return undefined;
}

function withHost(url: URL, address: string): URL {
  const changed = new URL(url);
  changed.hostname = address.includes(':') ? `[${address}]` : address;
  return changed;
}
