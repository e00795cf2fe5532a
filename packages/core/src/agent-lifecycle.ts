import type { PodSource, Startable } from '@nodeagent/api';
import { type AgentLife, createAgentLife } from './agent-life.js';
import type { Components, Needs } from './components.js';

/** The sources of an agent's pods, the cluster's among them. */
export function sourcesOf({ agent, cluster }: Needs<'agent' | 'cluster'>): readonly PodSource[] {
  return cluster ? [...agent.sources, cluster.source] : agent.sources;
}

/** Starts and stops the parts in their order. */
export function createLifecycle(c: Components): AgentLife {
  const { ended } = c;
  const members = membersOf(c);
  let loop: Promise<void> | undefined;

  async function begin(): Promise<void> {
    const { host, logFolders, common } = c;
    for (const dir of [logFolders.pods, logFolders.legacy]) await host.files.makeDirectory(dir, 0o755);
    await c.standalone?.load();
    if (ended.signal.aborted) return;
    connectSources(c);
    const { podIdsError } = host.machine;
    for (const { part, capability, loss } of [...c.capabilities.missing, ...c.volumes.capabilities.missing]) {
      common.logger.warn({ part, capability }, `${part} has no ${capability}: ${loss}`);
    }
    if (podIdsError !== undefined) common.logger.warn({ err: new Error(podIdsError) }, 'pods cannot have user namespaces');
    loop = c.syncLoop.run(ended.signal);
    c.monitor.start();
    c.cleanup.start();
    await Promise.all(members.map((member) => member.start(ended.signal)));
  }

  async function end(reason: unknown, started: Promise<void> | undefined): Promise<void> {
    c.monitor.stop();
    c.deadlines.stop();
    // The workers first: their signals say that nothing is wanted any more, so that nothing takes the end for a failure.
    const workers = c.podWorkers.stop();
    ended.abort(reason);
    await started;
    const others = [c.probeManager.stop(), loop, c.cleanup.stop(), c.eviction?.stop()];
    await Promise.all([workers, ...others, ...members.map((member) => member.stop())]);
    c.state.workQueue.stop();
  }

  return createAgentLife({ ended: ended.signal, begin, end });
}

/** The parts that are started and stopped with the agent, in this order. */
function membersOf(c: Components): readonly Startable[] {
  return [
    ...(c.clusterRecorder ? [c.clusterRecorder] : []),
    ...(c.cluster?.members ?? []),
    ...sourcesOf(c),
    c.statusManager,
    c.pleg,
    c.allocation,
    c.containerLogs,
    c.imageGc,
    c.oomWatcher,
    c.volumes,
    c.stats,
    ...(c.server ? [c.server] : []),
    c.nodeShutdown,
  ];
}

/** Merges the lists of the sources. The API server completes its pods; those of other sources get the defaults here. */
function connectSources({ agent, cluster, state }: Needs<'agent' | 'cluster' | 'state'>): void {
  const { podConfig } = state;
  for (const source of agent.sources) source.onPods = podConfig.channel(source.name, agent.nodeName);
  if (cluster) cluster.source.onPods = podConfig.channel(cluster.source.name);
}
