import type { ListPodSandboxRequest, RuntimeService } from '@nodeagent/cri-api';
import { toContainerStatus, toSandbox, toSandboxStatus } from '../views.js';
import type { ServiceContext, StartedRuntime } from './context.js';

/** The methods on sandboxes. */
export function sandboxMethods({ unary, listing, live, now }: ServiceContext) {
  return {
    runPodSandbox: unary('RunPodSandbox', async ({ config, runtimeHandler }, signal) => {
      const request = { config, runtimeHandler };
      return { podSandboxId: (await live().sandboxes.run(request, signal)).id };
    }),
    stopPodSandbox: unary('StopPodSandbox', async ({ podSandboxId = '' }) => {
      await stopSandbox(live(), podSandboxId);
      return {};
    }),
    removePodSandbox: unary('RemovePodSandbox', async ({ podSandboxId = '' }) => {
      const { containers, sandboxes } = live();
      const sandbox = sandboxes.find(podSandboxId);
      if (sandbox === undefined) return {};
      await stopSandbox({ containers, sandboxes }, sandbox.id);
      await Promise.all(containers.list({ podSandboxId: sandbox.id }).map(({ id }) => containers.remove(id)));
      await sandboxes.remove(sandbox.id);
      return {};
    }),
    podSandboxStatus: unary('PodSandboxStatus', async ({ podSandboxId = '' }) => {
      const { containers, sandboxes } = live();
      await containers.sync();
      sandboxes.sync(podSandboxId);
      const record = sandboxes.get(podSandboxId);
      const containersStatuses = containers.list({ podSandboxId: record.id }).map(toContainerStatus);
      return { status: toSandboxStatus(record), info: {}, containersStatuses, timestamp: now() };
    }),
    listPodSandbox: unary('ListPodSandbox', (request) => ({ items: listSandboxes(live(), request) })),
    streamPodSandboxes: listing('StreamPodSandboxes', (request) => ({ podSandboxes: listSandboxes(live(), request) })),
  } satisfies Partial<RuntimeService>;
}

async function stopSandbox({ containers, sandboxes }: Pick<StartedRuntime, 'containers' | 'sandboxes'>, id: string) {
  const sandbox = sandboxes.find(id);
  if (sandbox === undefined) return;
  // Set to not ready first, so that no container starts while the others are being stopped.
  sandboxes.setNotReady(sandbox.id);
  await Promise.all(containers.list({ podSandboxId: sandbox.id }).map((container) => containers.stop(container.id, 0)));
  await sandboxes.stop(sandbox.id);
}

function listSandboxes({ sandboxes }: StartedRuntime, { filter }: ListPodSandboxRequest) {
  sandboxes.sync();
  return sandboxes.list(filter).map(toSandbox);
}
