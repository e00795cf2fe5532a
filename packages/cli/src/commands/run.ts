import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, type Logger, NodeAgentError, systemClock } from '@nodeagent/api';
import { createFileSource, createNodeAgent, type NodeAgent } from '@nodeagent/core';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import type { Console } from '../console.js';
import { describeFlags } from '../flags.js';
import { createAgentView } from '../terminal/agent-view.js';
import { type RunOptions, readRunOptions, runFlags } from './run-flags.js';

/** A runtime that the command has opened. */
interface OpenRuntime {
  services: { runtime: RuntimeService; image: ImageService };
  /** What the title says of it. */
  name: string;
  /** Releases it; with `kill` whatever still runs in it is killed. */
  close(kill: boolean): Promise<void>;
}

export function runHelp(console: Console): string {
  return `Runs the pods of a folder of manifests on this machine and keeps them running.

usage: nodeagent run [flags]

${describeFlags(runFlags(console.env, console.isRoot))}

Ctrl-C ends the agent. With the embedded runtime the pods are stopped within their grace periods first, and a second Ctrl-C kills
them at once; with an external runtime they go on running and the next start finds them, unless --stop-pods-on-exit is given.
`;
}

/** `nodeagent run`: exit code 0 after an orderly end, 130 when told twice to end. */
export async function run(args: readonly string[], console: Console): Promise<number> {
  const options = readRunOptions(args, console.env, console.isRoot);
  if (options === undefined) {
    console.stdout.write(runHelp(console));
    return 0;
  }
  const table = options.output === 'table' || (options.output === 'auto' && console.stdout.isTTY === true);
  const view = createAgentView({ table, level: options.logLevel, format: options.logFormat, console });
  const runtime = await openRuntime(options, view.logger);
  try {
    const agent = createNodeAgent({
      nodeName: options.nodeName,
      rootDir: options.rootDir,
      podLogsDir: options.podLogsDir,
      cri: runtime.services,
      sources: [
        createFileSource({
          path: options.manifests,
          nodeName: options.nodeName,
          clock: systemClock,
          checkIntervalMs: options.fileCheckFrequencyMs,
          logger: view.logger,
        }),
      ],
      settings: { syncFrequencyMs: options.syncFrequencyMs, maxContainerRestartPeriodMs: options.maxRestartPeriodMs },
      logger: view.logger,
    });
    view.follow(agent, `node ${options.nodeName} · ${runtime.name} · pods from ${options.manifests}`);
    await agent.start();
    const code = await untilToldToEnd(agent, options.stopPodsOnExit, console, view.say);
    await runtime.close(code !== 0);
    return code;
  } finally {
    view.close();
  }
}

/** Waits for a first signal, ends the agent in order, and gives up the order at a second one. */
async function untilToldToEnd(agent: NodeAgent, stopPods: boolean, console: Console, say: (line: string) => void): Promise<number> {
  const twice = new AbortController();
  let told: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    told = resolve;
  });
  let signals = 0;
  const stopListening = console.onSignal((signal) => {
    signals++;
    if (signals === 1) told();
    else twice.abort(new NodeAgentError('INTERRUPTED', `told to end twice (${signal})`));
  });
  try {
    await first;
    if (stopPods) {
      say('stopping all pods within their grace periods; press Ctrl-C again to kill them at once');
      await agent.stopPods(twice.signal);
    } else {
      say('ending; the containers go on running and the next start finds them');
    }
    await agent.stop();
    return 0;
  } catch (error) {
    if (!twice.signal.aborted) throw error;
    return 130;
  } finally {
    stopListening();
  }
}

async function openRuntime({ runtimeEndpoint, imageServiceEndpoint, rootDir }: RunOptions, logger: Logger): Promise<OpenRuntime> {
  try {
    await mkdir(rootDir, { recursive: true, mode: 0o750 });
  } catch (error) {
    throw new NodeAgentError('ROOT_DIR_UNUSABLE', `--root-dir: cannot use ${rootDir}: ${errorMessage(error)}`, {
      cause: error,
      hint: 'name a folder that you may write to with --root-dir',
    });
  }
  if (runtimeEndpoint === 'embedded') {
    const { createProcessRuntime } = await import('@nodeagent/process-runtime');
    const runtime = createProcessRuntime({ root: join(rootDir, 'runtime'), clock: systemClock, logger });
    await runtime.start();
    return {
      services: runtime,
      name: 'embedded runtime',
      async close(kill) {
        if (kill) await runtime.stopAll(0);
        await runtime.stop();
      },
    };
  }
  const { createCriClient } = await import('@nodeagent/cri-client');
  const client = createCriClient({
    endpoint: runtimeEndpoint,
    ...(imageServiceEndpoint && { imageEndpoint: imageServiceEndpoint }),
    logger,
  });
  return { services: client, name: runtimeEndpoint, close: async () => client.close() };
}
