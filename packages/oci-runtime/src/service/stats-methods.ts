import type { ContainerFilter, ListContainerStatsRequest, PodSandboxStatsFilter, RuntimeService } from '@nodeagent/cri-api';
import { failedPrecondition } from '../errors.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { type MeasuredContainer, toContainerStats, toSandboxStats } from '../stats/cri-stats.js';
import { metricDescriptors, toSandboxMetrics } from '../stats/metrics.js';
import type { ServiceContext } from './context.js';

/** The methods for stats and metrics. */
export function statsMethods({ unary, listing, live, now }: ServiceContext) {
  const measure = async (record: ContainerRecord): Promise<MeasuredContainer> => {
    const { usage, layerUsage } = live();
    return { record, usage: usage(record), layer: await layerUsage(record) };
  };
  const measureRunning = (filter?: ContainerFilter) =>
    Promise.all(
      live()
        .containers.list({ ...filter, state: { state: 'CONTAINER_RUNNING' } })
        .map(measure),
    );
  const listContainerStats = async ({ filter }: ListContainerStatsRequest) => {
    await live().containers.sync();
    return (await measureRunning(filter)).map((container) => toContainerStats(container, now()));
  };
  const statsOf = async (record: SandboxRecord) => {
    const containers = await measureRunning({ podSandboxId: record.id });
    return toSandboxStats(record, await live().sandboxUsage(record, containers), containers, now());
  };
  const ready = async ({ id, labelSelector }: PodSandboxStatsFilter = {}) => {
    const { sandboxes, containers } = live();
    await containers.sync();
    return sandboxes.list({ ...(id && { id }), ...(labelSelector && { labelSelector }), state: { state: 'SANDBOX_READY' } });
  };
  const listSandboxStats = async (filter?: PodSandboxStatsFilter) => Promise.all((await ready(filter)).map(statsOf));
  const listMetrics = async () => {
    const { sandboxUsage, cgroups, metrics } = live();
    const fileSystem = await metrics.fileSystem();
    const metricsOf = async (record: SandboxRecord) => {
      const running = await measureRunning({ podSandboxId: record.id });
      const usage = await sandboxUsage(record, running);
      const containers = await Promise.all(
        running.map(async (container) => ({ ...container, ...(await metrics.container(container.record)), fileSystem })),
      );
      return toSandboxMetrics({ record, ...usage, details: metrics.sandbox(record) }, containers, cgroups, now());
    };
    return Promise.all((await ready()).map(metricsOf));
  };
  return {
    containerStats: unary('ContainerStats', async ({ containerId = '' }) => ({
      stats: toContainerStats(await measure(live().containers.get(containerId)), now()),
    })),
    listContainerStats: unary('ListContainerStats', async (request) => ({ stats: await listContainerStats(request) })),
    streamContainerStats: listing('StreamContainerStats', async (request) => ({ containerStats: await listContainerStats(request) })),
    podSandboxStats: unary('PodSandboxStats', async ({ podSandboxId = '' }) => {
      const { sandboxes, containers } = live();
      await containers.sync();
      const record = sandboxes.get(podSandboxId);
      if (record.state !== 'SANDBOX_READY') throw failedPrecondition(`sandbox "${record.id}" has no stats: it is not ready`);
      return { stats: await statsOf(record) };
    }),
    listPodSandboxStats: unary('ListPodSandboxStats', async ({ filter }) => ({ stats: await listSandboxStats(filter) })),
    streamPodSandboxStats: listing('StreamPodSandboxStats', async ({ filter }) => ({ podSandboxStats: await listSandboxStats(filter) })),
    listMetricDescriptors: unary('ListMetricDescriptors', () => ({ descriptors: [...metricDescriptors] })),
    listPodSandboxMetrics: unary('ListPodSandboxMetrics', async () => ({ podMetrics: await listMetrics() })),
    streamPodSandboxMetrics: listing('StreamPodSandboxMetrics', async () => ({ podSandboxMetrics: await listMetrics() })),
  } satisfies Partial<RuntimeService>;
}
