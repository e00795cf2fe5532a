import { errorCode, type Startable } from '@nodeagent/api';
import { cgroupsErrorCodes } from '@nodeagent/cgroups';
import type { Components } from './components.js';
import { prepareMachine } from './prepare-machine.js';
import { createStartStop, type StartStop } from './start-stop.js';

/** Starts and stops the parts in order. */
export function createLifecycle(c: Components): StartStop {
  const { ended } = c;
  const members = membersOf(c);
  let loop: Promise<void> | undefined;

  async function startParts(): Promise<void> {
    const { agent, host, logFolders, common } = c;
    await prepareMachine({ host, settings: c.settings, logger: common.logger });
    await agent.cri.start?.(ended.signal);
    for (const dir of [logFolders.pods, logFolders.legacy]) await host.files.makeDirectory(dir, 0o755);
    await c.standalone?.load();
    // Before the first request to the API server, which needs the client certificate.
    await agent.cluster?.certificates?.start(ended.signal);
    await startContainerManager(c);
    await c.resourceManagers?.start(ended.signal);
    await c.dynamicResources?.start(ended.signal);
    if (ended.signal.aborted) return;
    connectSources(c);
    const { podIdsError } = host.machine;
    for (const { part, capability, loss } of [...c.capabilities.missing, ...c.volumes.missing]) {
      common.logger.warn({ part, capability }, `${part} has no ${capability}: ${loss}`);
    }
    if (podIdsError !== undefined) common.logger.warn({ err: new Error(podIdsError) }, 'pods cannot have user namespaces');
    loop = c.syncLoop.run(ended.signal);
    c.monitor.start();
    c.containerGc.start();
    await Promise.all(members.map((member) => member.start(ended.signal)));
  }

  async function stopParts(reason: unknown, started: Promise<void> | undefined): Promise<void> {
    c.monitor.stop();
    c.deadlines.stop();
    // Workers stop first: an abort of their signals marks later failures as part of the stop.
    const workers = c.podWorkers.stop();
    ended.abort(reason);
    await started;
    const others = [
      c.containerManager?.stop(),
      c.resourceManagers?.stop(),
      c.dynamicResources?.stop(),
      c.probeManager.stop(),
      loop,
      c.containerGc.stop(),
      c.eviction?.stop(),
      c.agent.cluster?.certificates?.stop(),
    ];
    await Promise.all([workers, ...others, ...members.map((member) => member.stop())]);
    await c.agent.cri.stop?.();
    c.state.workQueue.stop();
  }

  return createStartStop({ ended: ended.signal, startParts, stopParts });
}

/** The parts that start and stop with the agent, in this order. */
function membersOf(c: Components): readonly Startable[] {
  return [
    ...(c.clusterRecorder ? [c.clusterRecorder] : []),
    ...(c.cluster?.members ?? []),
    ...c.sources,
    c.statusManager,
    c.pleg,
    c.allocation,
    c.containerLogs,
    c.imageGc,
    c.oomWatcher,
    c.volumes.reconciling,
    { start: async (signal) => c.stats?.start?.(signal), stop: async () => c.stats?.stop?.() },
    ...(c.server ? [c.server] : []),
    ...(c.podResources ? [c.podResources] : []),
    c.nodeShutdown,
  ];
}

/** A runtime or systemd that does not respond yet is no failure: the first sync of a pod starts the manager again. */
async function startContainerManager({ containerManager, ended, common }: Components): Promise<void> {
  try {
    await containerManager?.start(ended.signal);
  } catch (error) {
    if (errorCode(error) === cgroupsErrorCodes.systemdFailed) {
      common.logger.warn({ err: error }, 'systemd does not create the cgroups of pods; the first pod sync retries');
    } else if (errorCode(error)?.startsWith('CRI_')) {
      common.logger.warn({ err: error }, 'the runtime does not report its cgroup driver; the first pod sync retries');
    } else throw error;
  }
}

/** Merges the lists of the sources. The API server sets the defaults of its pods; for pods of other sources they are set here. */
function connectSources({ agent, cluster, sources, state }: Components): void {
  for (const source of sources) {
    source.onPods = state.podConfig.channel(source.name, source.name === cluster?.source.name ? undefined : agent.nodeName);
  }
}
