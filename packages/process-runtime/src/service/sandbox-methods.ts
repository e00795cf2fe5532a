import type { ListPodSandboxRequest, RuntimeService } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import { toContainerStatus, toSandbox, toSandboxStatus } from '../views.js';
import type { ServiceContext, StartedRuntime } from './context.js';

/** The methods on sandboxes. */
export function sandboxMethods({ unary, listing, live, now }: ServiceContext) {
  return {
    runPodSandbox: unary('RunPodSandbox', ({ config, runtimeHandler }) => {
      if (runtimeHandler) throw invalidArgument('runtime_handler', `no runtime for "${runtimeHandler}" is configured`);
      return { podSandboxId: live().sandboxes.run(config).id };
    }),
    stopPodSandbox: unary('StopPodSandbox', async ({ podSandboxId = '' }, signal) => {
      await stopSandbox(live(), podSandboxId, signal);
      return {};
    }),
    removePodSandbox: unary('RemovePodSandbox', async ({ podSandboxId = '' }, signal) => {
      const { containers, sandboxes } = live();
      const sandbox = sandboxes.find(podSandboxId);
      if (sandbox === undefined) return {};
      await stopSandbox({ containers, sandboxes }, sandbox.id, signal);
      await Promise.all(containers.list({ podSandboxId: sandbox.id }).map(({ id }) => containers.remove(id, signal)));
      sandboxes.remove(sandbox.id);
      return {};
    }),
    podSandboxStatus: unary('PodSandboxStatus', ({ podSandboxId = '' }) => {
      const { containers, sandboxes } = live();
      const record = sandboxes.get(podSandboxId);
      const containersStatuses = containers.list({ podSandboxId: record.id }).map(toContainerStatus);
      return { status: toSandboxStatus(record), info: {}, containersStatuses, timestamp: now() };
    }),
    listPodSandbox: unary('ListPodSandbox', (request) => ({ items: listSandboxes(live(), request) })),
    streamPodSandboxes: listing('StreamPodSandboxes', (request) => ({ podSandboxes: listSandboxes(live(), request) })),
    updatePodSandboxResources: unary('UpdatePodSandboxResources', ({ podSandboxId = '' }) => {
      live().sandboxes.get(podSandboxId);
      return {};
    }),
  } satisfies Partial<RuntimeService>;
}

async function stopSandbox({ containers, sandboxes }: Pick<StartedRuntime, 'containers' | 'sandboxes'>, id: string, signal?: AbortSignal) {
  const sandbox = sandboxes.find(id);
  if (sandbox === undefined) return;
  // Set to not ready first, so that no container starts while the others are being stopped.
  sandboxes.stop(sandbox.id);
  await Promise.all(containers.list({ podSandboxId: sandbox.id }).map((container) => containers.stop(container.id, 0, signal)));
}

function listSandboxes({ sandboxes }: StartedRuntime, { filter }: ListPodSandboxRequest) {
  return sandboxes.list(filter).map(toSandbox);
}
