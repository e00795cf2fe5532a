import type { ListContainersRequest, RuntimeService } from '@nodeagent/cri-api';
import { failedPrecondition } from '../errors.js';
import { isHostImage, unknownImage } from '../host-image.js';
import { toContainer, toContainerStatus } from '../views.js';
import type { ServiceContext } from './context.js';
import { timeoutMs } from './requests.js';

/** The methods on containers, without their processes and stats. */
export function containerMethods({ unary, listing, live }: ServiceContext) {
  const listContainers = ({ filter }: ListContainersRequest) => ({ containers: live().containers.list(filter).map(toContainer) });
  return {
    createContainer: unary('CreateContainer', ({ podSandboxId = '', config = {} }) => {
      const { containers, sandboxes } = live();
      const sandbox = sandboxes.get(podSandboxId);
      if (sandbox.state !== 'SANDBOX_READY') throw failedPrecondition(`sandbox "${podSandboxId}" is not running`);
      const image = config.image?.image ?? '';
      if (!isHostImage(image)) throw unknownImage(config.image?.userSpecifiedImage || image);
      return { containerId: containers.create(sandbox, config).id };
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
    removeContainer: unary('RemoveContainer', async ({ containerId = '' }, signal) => {
      await live().containers.remove(containerId, signal);
      return {};
    }),
    listContainers: unary('ListContainers', listContainers),
    streamContainers: listing('StreamContainers', listContainers),
    containerStatus: unary('ContainerStatus', ({ containerId = '' }) => ({
      status: toContainerStatus(live().containers.get(containerId)),
      info: {},
    })),
    updateContainerResources: unary('UpdateContainerResources', ({ containerId = '', linux }) => {
      live().containers.recordResources(containerId, linux ?? {});
      return {};
    }),
    reopenContainerLog: unary('ReopenContainerLog', async ({ containerId = '' }) => {
      await live().containers.reopenLog(containerId);
      return {};
    }),
  } satisfies Partial<RuntimeService>;
}
