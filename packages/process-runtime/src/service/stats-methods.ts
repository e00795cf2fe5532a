import type { ListContainerStatsRequest, RuntimeService } from '@nodeagent/cri-api';
import { measure, toContainerFilter, toContainerStats } from '../stats.js';
import type { ServiceContext } from './context.js';

/** The methods for the stats of containers. */
export function statsMethods({ unary, listing, live, now }: ServiceContext) {
  const listContainerStats = async ({ filter }: ListContainerStatsRequest) => {
    const { containers } = live();
    const stats = containers.list(toContainerFilter(filter)).map(async (record) => {
      const run = containers.runOf(record.id);
      return run === undefined ? [] : [toContainerStats(record, await measure(await run.members()), now())];
    });
    return (await Promise.all(stats)).flat();
  };
  return {
    containerStats: unary('ContainerStats', async ({ containerId = '' }) => {
      const { containers } = live();
      const record = containers.get(containerId);
      const members = (await containers.runOf(record.id)?.members()) ?? [];
      return { stats: toContainerStats(record, await measure(members), now()) };
    }),
    listContainerStats: unary('ListContainerStats', async (request) => ({ stats: await listContainerStats(request) })),
    streamContainerStats: listing('StreamContainerStats', async (request) => ({ containerStats: await listContainerStats(request) })),
  } satisfies Partial<RuntimeService>;
}
