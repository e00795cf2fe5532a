import type { ListContainerStatsRequest, RuntimeService } from '@nodeagent/cri-api';
import { invalidArgument, unimplemented } from '../errors.js';
import { toContainerStats } from '../stats/container-usage.js';
import { type ServiceContext, timeoutMs } from './context.js';

/** The methods for commands in containers, resources and stats. */
export function resourceMethods({ unary, listing, live, now }: ServiceContext) {
  const listStats = async ({ filter }: ListContainerStatsRequest) => {
    const { containers, usage } = live();
    await containers.sync();
    const running = containers.list({ ...filter, state: { state: 'CONTAINER_RUNNING' } });
    return running.map((record) => toContainerStats(record, usage(record), now()));
  };
  return {
    execSync: unary('ExecSync', ({ containerId = '', cmd = [], timeout }, signal) => {
      if ((cmd[0] ?? '') === '' || cmd.some((each) => each.includes('\0'))) {
        throw invalidArgument('cmd', 'must name a command, without NUL bytes');
      }
      const { containers, execSync } = live();
      return execSync(containers.running(containerId), cmd, timeoutMs(timeout), signal);
    }),
    exec: unary('Exec', () => Promise.reject(unimplemented('Exec', 'it has no streaming yet'))),
    attach: unary('Attach', () => Promise.reject(unimplemented('Attach', 'it has no streaming yet'))),
    portForward: unary('PortForward', () => Promise.reject(unimplemented('PortForward', 'it has no streaming yet'))),
    updateContainerResources: unary('UpdateContainerResources', async ({ containerId = '', linux = {} }) => {
      const { containers, toResources } = live();
      await containers.update(containerId, linux, toResources(linux));
      return {};
    }),
    updatePodSandboxResources: unary('UpdatePodSandboxResources', ({ podSandboxId = '' }) => {
      // The kubelet sets the values of the pod's cgroup, and a sandbox without a process has none below it.
      live().sandboxes.get(podSandboxId);
      return {};
    }),
    containerStats: unary('ContainerStats', ({ containerId = '' }) => {
      const { containers, usage } = live();
      const record = containers.get(containerId);
      return { stats: toContainerStats(record, usage(record), now()) };
    }),
    listContainerStats: unary('ListContainerStats', async (request) => ({ stats: await listStats(request) })),
    streamContainerStats: listing('StreamContainerStats', async (request) => ({ containerStats: await listStats(request) })),
  } satisfies Partial<RuntimeService>;
}
