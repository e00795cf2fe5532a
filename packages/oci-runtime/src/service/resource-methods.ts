import type { RuntimeService } from '@nodeagent/cri-api';
import { checkCommand, requestedStreams, timeoutMs } from '@nodeagent/process-runtime/cri';
import { unimplemented } from '../errors.js';
import type { ServiceContext } from './context.js';

/** The methods for commands in containers, and for resources. */
export function resourceMethods({ unary, live }: ServiceContext) {
  return {
    execSync: unary('ExecSync', ({ containerId = '', cmd = [], timeout }, signal) => {
      checkCommand(cmd);
      const { containers, execSync } = live();
      return execSync(containers.running(containerId), cmd, timeoutMs(timeout), signal);
    }),
    exec: unary('Exec', async ({ containerId = '', cmd = [], ...asked }) => {
      checkCommand(cmd);
      const requested = requestedStreams(asked);
      const { containers, streams, serveExec } = live();
      const record = containers.running(containerId);
      return { url: await streams.offer('exec', (client) => serveExec(client, record, cmd, requested)) };
    }),
    attach: unary('Attach', () => Promise.reject(unimplemented('Attach', 'it has no streams to them'))),
    portForward: unary('PortForward', () => Promise.reject(unimplemented('PortForward', 'it has no streams to them'))),
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
  } satisfies Partial<RuntimeService>;
}
