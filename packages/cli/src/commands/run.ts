import { type Clock, type Logger, type PodSource, systemClock } from '@nodeagent/api';
import type { ConfiguredStaticPods } from '@nodeagent/core/kubelet-configuration';
import { chooseStatsSource, createFileSource, createHttpSource, createNodeAgent, type FileSourceOptions } from '@nodeagent/core/node';
import type { Command } from '../command.js';
import { type Console, isRedrawable } from '../console.js';
import { describeFlags } from '../flags.js';
import { aborted, type Interrupts, listenForInterrupts } from '../interrupts.js';
import { createRejectedManifests, type RejectedManifests } from '../local-api/rejected-manifests.js';
import { serveLocalApi } from '../local-api/serve-local-api.js';
import { ociRoot } from '../oci/oci-state.js';
import { lockRootDir } from '../root-lock.js';
import type { AgentView } from '../terminal/agent-view.js';
import { createAgentView } from '../terminal/create-agent-view.js';
import { screenTitle } from '../terminal/pods-screen.js';
import { interactiveConsole } from '../terminal/screen/interactive-console.js';
import { version } from '../version.js';
import { type LoadedConfigFiles, loadConfigFiles } from './config-files.js';
import { createImageCredentials } from './image-credentials.js';
import { join } from './join.js';
import { createManifestObjects } from './manifest-objects.js';
import { serveNodePage } from './node-page.js';
import { nodeServer } from './node-server.js';
import { completeArguments } from './once/once-arguments.js';
import { createOnceSource } from './once/once-source.js';
import { createInstanceReader } from './once/read-instance.js';
import { runOnce } from './once/run-once.js';
import { openRuntime, type RuntimeToOpen } from './open-runtime.js';
import { rowCommandsOf } from './row-commands.js';
import { runAgent } from './run-agent.js';
import { runFlags } from './run-flags.js';
import { type RunOptions, readRunOptions } from './run-options.js';
import { isRuntimeType, type RuntimeType } from './runtime-types.js';
import { selectRuntime } from './select-runtime.js';

export function runHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Runs the pods of a directory of manifests, of a URL, or of a cluster on this machine.

usage: nodeagent run [MANIFEST] [flags]

MANIFEST is short for --manifests.

${describeFlags(runFlags(console.env, console.isRoot))}

Container logs are files: POD-LOGS-DIR/NAMESPACE_POD_UID/CONTAINER/RESTART.log.

With --kubeconfig the machine becomes a node of the cluster. As a kubelet does, the agent registers the Node, reports the node's
and its pods' statuses, and creates mirror pods of static pods. The kubeconfig must be that of system:node:NODE-NAME in the group
system:nodes. Pods keep running while the API server is unreachable; the agent reports their statuses when it is back.

Ctrl-C stops the agent. Pods keep running and the next start recovers them, unless --stop-pods-on-exit is set. Then, and always if
pods run as plain processes, the agent first stops the pods within their grace periods, and a second Ctrl-C kills them immediately.

With a shutdownGracePeriod in the configuration, the agent delays the machine's shutdown through systemd's logind until the pods
have terminated by priority, within that period. On machines without logind, --shutdown-on-sigterm does the same at SIGTERM.

With --once the agent runs the one pod of MANIFEST to its end, prints its logs to stdout and stderr, each line with the
container's name if there are several, and removes it. Beside the pod the manifest may have ConfigMaps and Secrets. Containers
that would always restart run once (restartPolicy Always becomes Never); OnFailure restarts them until they succeed. The exit
code is the first one but 0 of init containers and containers in the order of the manifest, without sidecars; 125 if the pod
cannot run, for example because its image cannot be pulled. Ctrl-C stops the pod within its grace period. It runs beside the
agent of the machine, in ROOT-DIR/once, which keeps the images.

Exit codes: 0 stopped gracefully, 1 failure, 2 invalid flags, 130 interrupted twice; with --once that of the pod, 125 if it
cannot run, 130 interrupted.
`;
}

export const runCommand: Command = { flags: ({ env, isRoot }) => runFlags(env, isRoot), help: runHelp, run };

/** `nodeagent run`: exit code 0 after a graceful stop, 130 after a second interrupt; with `--once` that of the pod. */
export async function run(given: readonly string[], console: Console): Promise<number> {
  const flags = runFlags(console.env, console.isRoot);
  const args = completeArguments(flags, given, console);
  const files = await loadConfigFiles(flags, args);
  const read = (chosen: RuntimeType) => readRunOptions(args, console.env, console.isRoot, files, chosen);
  // Checks the flags; those of a runtime that is not chosen have no effect.
  const options = read('oci');
  const unlock = await lockRootDir(options.rootDir);
  const { output, once } = options;
  const table = !once && (output === 'table' || (output === 'auto' && isRedrawable(console.stdout, console.env)));
  const terminal = table ? interactiveConsole(console) : undefined;
  const end = listenForInterrupts(terminal ?? console, systemClock.monotonic);
  const rowCommands = rowCommandsOf(['--root-dir', options.rootDir]);
  const view = createAgentView({
    table,
    terminal: terminal && { console: terminal, run: rowCommands },
    level: options.logLevel,
    format: options.logFormat,
    // The pod's output has stdout for itself.
    console: once ? { ...console, stdout: console.stderr } : console,
  });
  const ended = new AbortController();
  try {
    return await Promise.race([runLocked(read, files, { console, end, view }), hungAfter(end.second, ended.signal)]);
  } finally {
    ended.abort();
    view.close();
    end.stopListening();
    unlock();
  }
}

/** How long after the second interrupt the agent may kill the remaining containers. */
const killTimeoutMs = 3_000;

/** Resolves with the exit code if the agent does not stop after the second interrupt, because a file operation hangs. */
async function hungAfter(second: AbortSignal, ended: AbortSignal): Promise<130> {
  await aborted(second);
  await systemClock.sleep(killTimeoutMs, ended);
  return 130;
}

interface RunPorts {
  console: Console;
  end: Interrupts;
  view: AgentView;
}

async function runLocked(
  read: (chosen: RuntimeType) => RunOptions,
  files: LoadedConfigFiles | undefined,
  { console, end, view }: RunPorts,
): Promise<number> {
  view.logger.info({ node: process.versions.node, v8Flags: (console.v8Flags ?? []).join(' ') }, 'nodeagent is starting');
  for (const warning of files?.warnings ?? []) view.logger.warn(warning);
  const choice = await chooseNodeRuntime(read('oci'), console);
  if (choice.type !== 'cri' && choice.text !== undefined) view.print(choice.text);
  const options = read(choice.type === 'oci' ? 'oci' : 'process');
  const { nodeName, rootDir, podLogsDir, runtimeEndpoint, configuration, stopPodsOnExit } = options;
  const { runtime: configuredRuntime, staticPods } = configuration;
  const { imageEndpoint: imageServiceEndpoint } = configuredRuntime;
  const { cgroupDriver } = configuration.agent.settings ?? {};
  const oci = { handlers: options.handlers, ...(cgroupDriver && { cgroupDriver }), hasDefaultNetwork: hasDefaultNetwork(options) };
  const runtime = await openRuntime({ choice, imageServiceEndpoint, rootDir, oci }, view.logger);
  let code = 1;
  try {
    const { logger } = view;
    // Loaded lazily: a bundle would load it for every command.
    const registry = options.server && (await import('@nodeagent/server')).createMetricsRegistry();
    const ports = { logger, signal: end.first, ...(registry && { metrics: registry }) };
    const joined = options.kubeconfig === undefined ? undefined : await join(options.kubeconfig, options, ports);
    const common = { nodeName, clock: systemClock, logger };
    const server =
      options.server &&
      registry &&
      (await nodeServer({
        ...common,
        server: options.server,
        certDir: options.certDir,
        registry,
        shownFlags: options.shownFlags,
        kubeletConfiguration: files?.configuration,
        ...(joined?.servingCertificate && { servingCertificate: joined.servingCertificate }),
        ...(joined && { reviews: joined.reviews, nodeIPs: configuration.cluster.settings?.nodeIPs ?? [] }),
      }));
    const page = options.server && options.ui ? await serveNodePage() : undefined;
    const rejected = createRejectedManifests();
    // The objects of a cluster come from its API server only.
    const objects = joined ? undefined : createManifestObjects();
    const sources = staticPodSources(staticPods, common, rejected, objects?.set);
    const once = options.once && sources[0] ? createOnceSource(sources[0]) : undefined;
    const agent = createNodeAgent({
      ...configuration.agent,
      nodeName,
      rootDir,
      podLogsDir,
      cri: runtime.services,
      statsSource: chooseStatsSource(runtimeEndpoint, configuredRuntime),
      sources: once ? [once] : sources,
      ...(objects && { environment: objects.environment }),
      ...(joined && { cluster: joined.cluster }),
      ...(server && { server: { ...server, ...(page && { ui: page.ui }) }, metrics: registry }),
      imageCredentials: await createImageCredentials({
        rootDir,
        plugins: options.credentialPlugins,
        serviceAccounts: joined?.serviceAccounts,
        logger,
      }),
      logger,
    });
    const origins = [joined?.server, staticPods.path, staticPods.url].filter((origin) => origin !== undefined);
    view.print(`pods from ${origins.join(' and ')}; container logs in ${podLogsDir}`);
    const titled = { node: nodeName, runtime: runtime.name, ...(joined && { cluster: joined.server }) };
    page?.show(agent, {
      nodeName,
      version: `nodeagent ${version}`,
      runtime: runtime.name,
      ...(joined && { cluster: joined.server }),
      clock: systemClock,
    });
    view.follow(agent, screenTitle(titled), rejected.list);
    const subject = { ...titled, agent, podLogsDir, rejected: rejected.list, clock: systemClock };
    const closeLocalApi = await serveLocalApi({ ...subject, rootDir, logger }).catch((error) => {
      logger.warn({ err: error }, 'cannot serve the local API: nodeagent pods, describe and other queries will fail');
    });
    try {
      const ports = { agent, interrupts: end, rejected: rejected.list, console };
      const running = once
        ? runOnce({ ...ports, source: once, readLog: await createInstanceReader(podLogsDir, systemClock) })
        : runAgent(agent, end, view, options);
      code = await (joined ? Promise.race([running, joined.lost]) : running);
    } finally {
      page?.close();
      await closeLocalApi?.();
      joined?.close();
    }
    return code;
  } finally {
    await runtime.close(code !== 0 && stopPodsOnExit);
  }
}

/** The runtime that the options name, else that for which the machine has what it needs; then its text is to be printed. */
async function chooseNodeRuntime(options: RunOptions, console: Console): Promise<RuntimeToOpen['choice']> {
  const { runtimeEndpoint, configuration, rootDir } = options;
  const isNamed = configuration.runtime.endpoint !== undefined;
  if (isNamed && !isRuntimeType(runtimeEndpoint)) return { type: 'cri', endpoint: runtimeEndpoint };
  const wanted = isNamed && isRuntimeType(runtimeEndpoint) ? runtimeEndpoint : undefined;
  return selectRuntime(wanted, '--runtime-endpoint', { console, root: ociRoot(rootDir), hasDefaultNetwork: hasDefaultNetwork(options) });
}

/** A cluster brings the network of its pods. */
const hasDefaultNetwork = ({ kubeconfig }: RunOptions) => kubeconfig === undefined;

/** The static pod sources. Both poll at the same interval. */
function staticPodSources(
  { path, url, headers, checkIntervalMs }: ConfiguredStaticPods,
  common: { nodeName: string; clock: Clock; logger: Logger },
  rejected: RejectedManifests,
  onObjects: FileSourceOptions['onObjects'],
): PodSource[] {
  const fileOptions = { ...common, checkIntervalMs, onErrors: rejected.of('file'), ...(onObjects && { onObjects }) };
  return [
    ...(path === undefined ? [] : [createFileSource({ ...fileOptions, path })]),
    ...(url === undefined ? [] : [createHttpSource({ ...common, url, headers, checkIntervalMs, onErrors: rejected.of('http') })]),
  ];
}
