import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from '@nodeagent/api';
import { createTestApiServer, type TestApiServer, type TestApiServerOptions } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { beforeAll } from 'vitest';
import { cleanUpAfterAll } from '../cleanup.js';
import type { PrivateRuntime, TestRuntime } from '../runtimes/private-runtime.js';
import { until } from '../until.js';
import { type AgentProcess, startAgent } from './agent-process.js';
import { createWorkspace, type Workspace } from './workspace.js';

/** `nodeagent run` on a runtime as a node of a cluster, which tests use through the API alone. */
export interface ClusterNode {
  readonly name: string;
  readonly runtime: PrivateRuntime;
  readonly server: TestApiServer;
  readonly agent: AgentProcess;
  /** Starts another agent on the same node; the previous one must have ended. */
  restart(): void;
  readonly work: Workspace;
}

/** Options of the API server, and of the agent. */
export interface ClusterNodeOptions extends TestApiServerOptions {
  /** Further flags of the agent. Default: none. */
  flags?: readonly string[];
}

/** Starts the node before the tests of a suite and removes it after them. Its fields are there from the first test on. */
export function useClusterNode(testRuntime: TestRuntime, { flags: added = [], ...options }: ClusterNodeOptions = {}): ClusterNode {
  const node: { -readonly [Key in keyof ClusterNode]?: ClusterNode[Key] } & { name: string } = { name: 'e2e' };
  beforeAll(async () => {
    node.runtime = await testRuntime.start();
    const work = createWorkspace(node.name);
    const server = createTestApiServer({ network: machineNetwork, scheduler: true, nodeRestriction: true, ...options });
    Object.assign(node, { work, server });
    await server.listen({ tls: true });
    const config = join(work.dir, 'node-config');
    writeFileSync(config, server.kubeconfig({ user: { username: `system:node:${node.name}`, groups: ['system:nodes'] } }));
    const { root } = work;
    const flags = [
      ...['--kubeconfig', config, '--runtime-endpoint', node.runtime.endpoint, '--node-name', node.name],
      ...['--root-dir', root, '--pod-logs-dir', join(root, 'logs')],
      ...added,
    ];
    node.restart = () => {
      node.agent = startAgent(flags);
    };
    node.restart();
    await until('the node to be ready', async () =>
      server.objects.get<Node>('nodes', node.name)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    );
  });
  cleanUpAfterAll({
    'the agent': () => node.agent?.end('SIGKILL'),
    'the API server': () => node.server?.close(),
    'the runtime': () => node.runtime?.cleanup(),
    'the folder': () => node.work?.remove(),
  });
  return node as ClusterNode;
}
