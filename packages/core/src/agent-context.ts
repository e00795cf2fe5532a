import { setMaxListeners } from 'node:events';
import { dirname, join } from 'node:path';
import {
  type Clock,
  type EventRecorder,
  invalidOption,
  type Logger,
  type Metrics,
  noMetrics,
  type Random,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { createPodEvents, type PodEvents } from '@nodeagent/event-recorder';
import { EventEmitter } from 'eventemitter3';
import { agentHost } from './agent-host.js';
import { contracts, requireContract } from './config/contracts.js';
import { effectiveSettings, type NodeAgentSettings } from './config/settings.js';
import type { NodeHost } from './host/node-host.js';
import type { AgentOptions } from './options/agent-options.js';
import type { NodeAgentEvents } from './options/node-agent.js';
import { requireVolumePlugins } from './options/volume-plugins.js';
import { type AgentState, createAgentState } from './state/agent-state.js';

/** Ports that nearly every part receives. */
interface CommonPorts {
  clock: Clock;
  random: Random;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

/** What exists before the parts of an agent are created. */
export interface AgentContext {
  readonly agent: AgentOptions;
  readonly settings: Readonly<NodeAgentSettings>;
  readonly common: CommonPorts;
  readonly recorder: PodEvents;
  /** Writes events to the cluster; started and stopped with the agent. */
  readonly clusterRecorder: (EventRecorder & Startable) | undefined;
  readonly emitter: EventEmitter<NodeAgentEvents>;
  readonly host: NodeHost;
  /** The folders of container logs; `legacy` has the links of the older layout. */
  readonly logFolders: { readonly pods: string; readonly legacy: string };
  readonly state: AgentState;
  /** Aborted when the agent stops. */
  readonly ended: AbortController;
  /** Resolved by the first housekeeping after all sources have delivered their lists. */
  readonly ready: { readonly promise: Promise<void>; readonly resolve: () => void };
}

/** Checks the options, then reads the machine's facts. Throws `InvalidOption` naming an option that is invalid. */
export function createAgentContext(options: AgentOptions): AgentContext {
  const { nodeName, rootDir, podLogsDir = '/var/log/pods' } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger, metrics = noMetrics } = options;
  const settings = effectiveSettings(options.settings);
  if (typeof rootDir !== 'string' || rootDir === '') throw invalidOption('rootDir', "the path of the agent's root directory", rootDir);
  requireContract('sources', options.sources, contracts.sources);
  requireVolumePlugins(options);
  const emitter = new EventEmitter<NodeAgentEvents>();
  const clusterRecorder = options.cluster?.createRecorder?.({ nodeName, clock, random, logger, metrics });
  const recorder = createPodEvents({
    clock,
    recorders: [options.recorder, clusterRecorder].filter((each) => each !== undefined),
    onEvent: (event) => emitter.emit('event', event),
  });
  return {
    agent: options,
    settings,
    common: { clock, random, recorder, logger, metrics },
    recorder,
    clusterRecorder,
    emitter,
    host: agentHost(options, { clock, logger }),
    logFolders: { pods: podLogsDir, legacy: join(dirname(podLogsDir), 'containers') },
    state: createAgentState({ clock, recorder }),
    ended: createEnd(),
    ready: createSignal(),
  };
}

/** Aborted when the agent stops; every part and every call waits on its signal. */
function createEnd(): AbortController {
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  return ended;
}

function createSignal(): AgentContext['ready'] {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
