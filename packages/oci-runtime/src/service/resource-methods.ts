import type { RuntimeService } from '@nodeagent/cri-api';
import { checkCommand, requestedStreams, timeoutMs } from '@nodeagent/process-runtime/cri';
import { failedPrecondition } from '../errors.js';
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
    attach: unary('Attach', async ({ containerId = '', ...asked }) => {
      const requested = requestedStreams(asked);
      const { containers, streams, attach } = live();
      return { url: await streams.offer('attach', await attach(containers.running(containerId), requested)) };
    }),
    portForward: unary('PortForward', async ({ podSandboxId = '' }) => {
      const { sandboxes, streams, portForward } = live();
      const sandbox = sandboxes.get(podSandboxId);
      if (sandbox.state !== 'SANDBOX_READY') throw failedPrecondition(`sandbox "${sandbox.id}" is not running`);
      return { url: await streams.offer('portforward', await portForward(sandbox)) };
    }),
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
