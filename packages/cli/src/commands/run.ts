import { type Clock, type Logger, type PodSource, systemClock } from '@nodeagent/api';
import { chooseStatsSource, createFileSource, createHttpSource, createNodeAgent } from '@nodeagent/core';
import type { ConfiguredStaticPods } from '@nodeagent/core/kubelet-configuration';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { listenForEnd } from '../end-requests.js';
import { describeFlags } from '../flags.js';
import { serveLocalApi } from '../local-api/serve-local-api.js';
import { lockRootDir } from '../root-lock.js';
import { createAgentView } from '../terminal/create-agent-view.js';
import { screenTitle } from '../terminal/pods-screen.js';
import { loadConfigFiles } from './config-files.js';
import { createImageCredentials } from './image-credentials.js';
import { join } from './join.js';
import { serveNodePage } from './node-page.js';
import { nodeServer } from './node-server.js';
import { openRuntime } from './open-runtime.js';
import { runAgent } from './run-agent.js';
import { runFlags } from './run-flags.js';
import { readRunOptions } from './run-options.js';

export function runHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Runs the pods of a folder of manifests, of a URL, or of a cluster on this machine and keeps them running.

usage: nodeagent run [flags]

${describeFlags(runFlags(console.env, console.isRoot))}

Logs of containers are files: POD-LOGS-DIR/NAMESPACE_POD_UID/CONTAINER/RESTART.log.

With --kubeconfig the machine becomes a node of the cluster: as a kubelet it registers itself, reports its pods and itself, and has
mirrors of the pods from manifests. The kubeconfig has to be that of system:node:NODE-NAME in the group system:nodes. An API server
that is away stops nothing: pods go on running, and it is told everything when it is back.

Ctrl-C ends the agent. With the embedded runtime the pods are stopped within their grace periods first, and a second Ctrl-C kills
them at once; with an external runtime they go on running and the next start finds them, unless --stop-pods-on-exit is given.

Where the configuration has a shutdownGracePeriod, the machine's own shutdown is held up until the pods have ended by priority,
within that time: systemd's logind tells of it. Where there is no logind, --shutdown-on-sigterm does the same at SIGTERM.

Exit codes: 0 ended in order, 1 failed, 2 wrong flags, 130 told twice to end.
`;
}

export const runCommand: Command = { flags: ({ env, isRoot }) => runFlags(env, isRoot), help: runHelp, run };

/** `nodeagent run`: exit code 0 after an orderly end, 130 when told twice to end. */
export async function run(args: readonly string[], console: Console): Promise<number> {
  const files = await loadConfigFiles(runFlags(console.env, console.isRoot), args);
  const options = readRunOptions(args, console.env, console.isRoot, files);
  const { nodeName, rootDir, podLogsDir, runtimeEndpoint, configuration } = options;
  const { runtime: configuredRuntime, staticPods } = configuration;
  const unlock = await lockRootDir(rootDir);
  const end = listenForEnd(console, systemClock.monotonic);
  const table = options.output === 'table' || (options.output === 'auto' && console.stdout.isTTY === true);
  const view = createAgentView({ table, level: options.logLevel, format: options.logFormat, console });
  try {
    for (const warning of files?.warnings ?? []) view.logger.warn(warning);
    const runtime = await openRuntime({ runtimeEndpoint, imageServiceEndpoint: configuredRuntime.imageEndpoint, rootDir }, view.logger);
    let code = 1;
    try {
      const { logger } = view;
      const joined = options.kubeconfig === undefined ? undefined : await join(options.kubeconfig, options, logger);
      const common = { nodeName, clock: systemClock, logger };
      const server =
        options.server &&
        (await nodeServer({
          ...common,
          options: options.server,
          configured: configuration.server,
          ...(files && { kubeletConfiguration: files.configuration }),
          ...(joined && { reviews: joined.reviews, nodeIPs: configuration.cluster.settings?.nodeIPs ?? [] }),
        }));
      const page = options.server?.ui ? await serveNodePage() : undefined;
      const agent = createNodeAgent({
        ...configuration.agent,
        nodeName,
        rootDir,
        podLogsDir,
        cri: runtime.services,
        statsSource: chooseStatsSource(runtimeEndpoint, configuredRuntime),
        sources: staticPodSources(staticPods, common),
        ...(joined && { cluster: joined.cluster }),
        ...(server && { server: { ...server, ...(page && { ui: page.ui }) }, metrics: server.registry }),
        imageCredentials: await createImageCredentials({
          rootDir,
          plugins: options.credentialPlugins,
          serviceAccounts: joined?.serviceAccounts,
          logger,
        }),
        logger,
      });
      const origins = [joined?.server, staticPods.path, staticPods.url].filter((origin) => origin !== undefined);
      view.say(`pods from ${origins.join(' and ')}; container logs in ${podLogsDir}`);
      const titled = { node: nodeName, runtime: runtime.name, ...(joined && { cluster: joined.server }) };
      page?.show(agent, { nodeName, runtime: runtime.name, ...(joined && { cluster: joined.server }), clock: systemClock });
      view.follow(agent, screenTitle(titled));
      const subject = { ...titled, agent, podLogsDir, clock: systemClock };
      const closeLocalApi = await serveLocalApi({ ...subject, rootDir, logger }).catch((error) => {
        logger.warn({ err: error }, 'nodeagent describe and nodeagent pods will find no agent');
      });
      try {
        code = await runAgent(agent, end, view, options);
      } finally {
        page?.close();
        await closeLocalApi?.();
        joined?.close();
      }
      return code;
    } finally {
      await runtime.close(code !== 0);
    }
  } finally {
    view.close();
    end.stopListening();
    unlock();
  }
}

/** The sources of pods beside the cluster. Both poll at the same interval. */
function staticPodSources(
  { path, url, headers, checkIntervalMs }: ConfiguredStaticPods,
  common: { nodeName: string; clock: Clock; logger: Logger },
): PodSource[] {
  return [
    ...(path === undefined ? [] : [createFileSource({ ...common, path, checkIntervalMs })]),
    ...(url === undefined ? [] : [createHttpSource({ ...common, url, headers, checkIntervalMs })]),
  ];
}
