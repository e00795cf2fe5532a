import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { defaultNodeName } from '@nodeagent/api/helpers';
import type { TestApiServer } from '@nodeagent/test-api-server';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, oneOf, readFlags, text } from '../flags.js';
import { loadOptional } from '../load-optional.js';
import { rootDirFlag } from './root-dir-flag.js';
import { run } from './run.js';
import { runOutputs } from './run-flags.js';

const flags = (console: Pick<Console, 'env' | 'isRoot'>): Flag[] => [
  { name: 'port', value: 'PORT', default: '0', help: 'port of the API server on 127.0.0.1; 0: any free port.' },
  {
    name: 'kubeconfig',
    value: 'FILE',
    defaultText: 'ROOT-DIR/admin.kubeconfig',
    help: 'file to which the kubeconfig of an administrator is written; it is removed at the end.',
  },
  { name: 'node-name', value: 'NAME', default: defaultNodeName(), help: 'name of the node.' },
  rootDirFlag(console, 'directory of the state, container logs and certificates of the node.'),
  {
    name: 'output',
    value: 'FORMAT',
    choices: runOutputs,
    default: 'auto',
    help: 'output, as of "nodeagent run": "table", "log", "json" or "auto": the table on a terminal, else plain lines.',
  },
  helpFlag,
];

export function devHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Runs a cluster of one node on this machine, for kubectl and any other client: an API server in memory, a scheduler, controllers of
Deployments, ReplicaSets, DaemonSets and Jobs, and a node that runs pods as plain processes. No daemon, no root, no images.

usage: nodeagent dev [flags]

${describeFlags(flags(console))}

A container with "image: host" runs a program of this machine. It shares the machine's files and network, and has no limits:
do not run pods that you do not trust. It requires the package @nodeagent/test-api-server: npm install @nodeagent/test-api-server

  nodeagent dev
  export KUBECONFIG=...                      in another terminal, as "nodeagent dev" prints it
  kubectl apply -f pod.yaml
  kubectl get pods, logs, exec, describe, delete ...

Ctrl-C stops the pods within their grace periods, the node and the API server, whose objects are lost. A second Ctrl-C kills the
pods at once.

Exit codes: 0 stopped gracefully, 1 failure, 2 invalid flags, 130 interrupted twice.
`;
}

export const devCommand: Command = { flags, help: devHelp, run: dev };

/** `nodeagent dev`: an API server for tests, and `nodeagent run` as its only node, until interrupted. */
export async function dev(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(flags(console), args);
  const port = Number(text(values, 'port'));
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535)) throw badUsage(`--port: "${values.port}" is not a port from 0 to 65535`);
  const output = oneOf(values, 'output', runOutputs);
  const nodeName = text(values, 'node-name');
  const rootDir = resolve(text(values, 'root-dir'));
  const kubeconfig = values.kubeconfig === undefined ? join(rootDir, 'admin.kubeconfig') : resolve(text(values, 'kubeconfig'));
  refuseOtherFile(kubeconfig);

  const { createTestApiServer } = await loadOptional('@nodeagent/test-api-server', () => import('@nodeagent/test-api-server'));
  const { machineNetwork } = await loadOptional('@nodeagent/test-api-server', () => import('@nodeagent/test-api-server/node'));
  const server = createTestApiServer({ network: machineNetwork, scheduler: true, workloads: true, nodeRestriction: true });
  const url = await listen(server, port);
  try {
    const node = writeNodeFiles(server, nodeName, join(rootDir, 'dev'));
    writePrivate(kubeconfig, `${marker}\n${server.kubeconfig({ user: { username: 'admin', groups: ['system:masters'] } })}`);
    // Lines of JSON stay readable by programs.
    (output === 'json' ? console.stderr : console.stdout).write(nextSteps(url, nodeName, kubeconfig));
    const nodePort = String(await freePort());
    const nodeFlags = {
      ...node,
      'runtime-endpoint': 'process',
      'node-name': nodeName,
      'root-dir': rootDir,
      port: nodePort,
      'healthz-port': '0',
      output,
    };
    return await run(
      Object.entries(nodeFlags).map((flag) => `--${flag.join('=')}`),
      console,
    );
  } finally {
    await server.close();
    if (isOurs(kubeconfig)) rmSync(kubeconfig, { force: true });
  }
}

const marker = '# Written by nodeagent dev, which removes it when it stops.';

const isOurs = (file: string): boolean => existsSync(file) && readFileSync(file, 'utf8').startsWith(marker);

/** Another kubeconfig, such as the user's own, must not be overwritten. */
function refuseOtherFile(file: string): void {
  if (!existsSync(file) || isOurs(file)) return;
  throw new NodeAgentError('FILE_EXISTS', `--kubeconfig: ${file} exists and was not written by "nodeagent dev"`, {
    hint: 'remove it, or set --kubeconfig to another file',
  });
}

async function listen(server: TestApiServer, port: number): Promise<string> {
  try {
    return await server.listen({ tls: true, port });
  } catch (error) {
    await server.close();
    const why = errorCode(error) === 'EADDRINUSE' ? 'the port is in use' : errorMessage(error);
    throw new NodeAgentError('CANNOT_LISTEN', `--port: the API server cannot listen on 127.0.0.1:${port}: ${why}`, {
      hint: 'set --port to another port, or leave it out for any free one',
      cause: error,
    });
  }
}

/** Writes the node's kubeconfig and the CA of the server, whose client certificate the node accepts; returns the flags that name them. */
function writeNodeFiles(server: TestApiServer, nodeName: string, folder: string): { kubeconfig: string; 'client-ca-file': string } {
  const files = { kubeconfig: join(folder, 'node.kubeconfig'), 'client-ca-file': join(folder, 'ca.crt') };
  writePrivate(files.kubeconfig, server.kubeconfig({ user: { username: `system:node:${nodeName}`, groups: ['system:nodes'] } }));
  writePrivate(files['client-ca-file'], server.caCertificate);
  return files;
}

function writePrivate(file: string, content: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o750 });
    rmSync(file, { force: true });
    writeFileSync(file, content, { mode: 0o600 });
  } catch (error) {
    throw new NodeAgentError('CANNOT_WRITE', `cannot write ${file}: ${errorMessage(error)}`, {
      hint: 'set --root-dir or --kubeconfig to a writable place',
      cause: error,
    });
  }
}

function nextSteps(url: string, nodeName: string, kubeconfig: string): string {
  return `API server at ${url}, node ${nodeName}: pods run as plain processes. In another terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl get nodes
  kubectl run hello --image=host --command -- sh -c 'while date; do sleep 5; done'
  kubectl apply -f FILE                      with "image: host" in its containers

Ctrl-C stops the pods, the node and the API server.

`;
}

/** A free port for the node's HTTP API, through which kubectl logs and exec reach it. */
function freePort(): Promise<number> {
  return new Promise((resolvePort, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, () => {
      const address = probe.address();
      probe.close(() => resolvePort(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
