import type { RuntimeService } from '@nodeagent/cri-api';
import { failedPrecondition } from '../errors.js';
import { serveAttach } from '../streaming/attach.js';
import { serveExec } from '../streaming/exec.js';
import { servePortForward } from '../streaming/port-forward.js';
import { requestedStreams } from '../streaming/requested-streams.js';
import type { ServiceContext } from './context.js';
import { checkCommand, timeoutMs } from './requests.js';

/** The methods that run commands in containers or open streams to them. */
export function execMethods({ unary, live, clock }: ServiceContext) {
  return {
    execSync: unary('ExecSync', ({ containerId = '', cmd = [], timeout }, signal) => {
      checkCommand(cmd);
      return live().containers.exec(containerId, cmd, timeoutMs(timeout), signal);
    }),
    exec: unary('Exec', async ({ containerId = '', cmd = [], ...asked }) => {
      checkCommand(cmd);
      const requested = requestedStreams(asked);
      const { streams, containers } = live();
      const container = await containers.running(containerId);
      return { url: await streams.offer('exec', (client) => serveExec(client, container, cmd, requested, clock)) };
    }),
    attach: unary('Attach', async ({ containerId = '', ...asked }) => {
      const requested = requestedStreams(asked);
      const { streams, containers } = live();
      const container = await containers.running(containerId);
      return { url: await streams.offer('attach', (client) => serveAttach(client, container, requested, clock)) };
    }),
    portForward: unary('PortForward', async ({ podSandboxId = '' }) => {
      const { streams, sandboxes } = live();
      const { id, state } = sandboxes.get(podSandboxId);
      if (state !== 'SANDBOX_READY') throw failedPrecondition(`sandbox "${id}" is not running`);
      return { url: await streams.offer('portforward', (client) => servePortForward(client, clock)) };
    }),
  } satisfies Partial<RuntimeService>;
}
