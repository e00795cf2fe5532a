import type { Summary } from '@nodeagent/api';
import type { SimulatedAgentOptions } from '@nodeagent/test-cluster';

/** What an agent asks its ports for. */
export interface PortObserver {
  /** Called before each call that stops a container. */
  onStop(containerId: string): void;
  /** Called with the stats of each evaluation of the eviction thresholds. */
  onStats(stats: Summary): void;
}

type Stats = NonNullable<SimulatedAgentOptions['stats']>;

/** The ports of an agent, whose calls are also reported to the observer. */
export function observedPorts(options: SimulatedAgentOptions, { onStop, onStats }: PortObserver): SimulatedAgentOptions {
  const { cri, stats } = options;
  const stopContainer: typeof cri.runtime.stopContainer = (request, ...rest) => {
    onStop(request.containerId ?? '');
    return cri.runtime.stopContainer(request, ...rest);
  };
  const runtime = new Proxy(cri.runtime, { get: (target, name) => (name === 'stopContainer' ? stopContainer : Reflect.get(target, name)) });
  return { ...options, cri: { ...cri, runtime }, ...(stats && { stats: observedStats(stats, onStats) }) };
}

function observedStats(stats: Stats, onStats: PortObserver['onStats']): Stats {
  return {
    ...stats,
    async summary(request) {
      const result = await stats.summary(request);
      if (request.fresh) onStats(result);
      return result;
    },
  };
}
