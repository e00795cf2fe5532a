import type { ListContainersRequest, RuntimeService } from '@nodeagent/cri-api';
import { timeoutMs } from '@nodeagent/process-runtime/cri';
import { failedPrecondition } from '../errors.js';
import { toContainer, toContainerStatus } from '../views.js';
import type { ServiceContext } from './context.js';

/** The methods on containers, without their processes and stats. */
export function containerMethods({ unary, listing, live }: ServiceContext) {
  const listContainers = async ({ filter }: ListContainersRequest) => {
    const { containers } = live();
    await containers.sync();
    return { containers: containers.list(filter).map(toContainer) };
  };
  return {
    createContainer: unary('CreateContainer', async ({ podSandboxId = '', config = {} }) => {
      const { containers, sandboxes } = live();
      sandboxes.sync(podSandboxId);
      const sandbox = sandboxes.get(podSandboxId);
      if (sandbox.state !== 'SANDBOX_READY') throw failedPrecondition(`sandbox "${podSandboxId}" is not running`);
      return { containerId: (await containers.create(sandbox, config)).id };
    }),
    startContainer: unary('StartContainer', async ({ containerId = '' }) => {
      const { containers, sandboxes } = live();
      await containers.start(containerId, (id) => sandboxes.get(id));
      return {};
    }),
    stopContainer: unary('StopContainer', async ({ containerId = '', timeout }, signal) => {
      await live().containers.stop(containerId, timeoutMs(timeout), signal);
      return {};
    }),
    removeContainer: unary('RemoveContainer', async ({ containerId = '' }) => {
      await live().containers.remove(containerId);
      return {};
    }),
    listContainers: unary('ListContainers', listContainers),
    streamContainers: listing('StreamContainers', listContainers),
    containerStatus: unary('ContainerStatus', async ({ containerId = '' }) => {
      const { containers } = live();
      await containers.sync(containerId);
      return { status: toContainerStatus(containers.get(containerId)), info: {} };
    }),
    reopenContainerLog: unary('ReopenContainerLog', async ({ containerId = '' }) => {
      await live().containers.reopenLog(containerId);
      return {};
    }),
  } satisfies Partial<RuntimeService>;
}
