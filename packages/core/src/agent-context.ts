import {
  type Clock,
  createAbortController,
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
import { dirname, join } from '@nodeagent/api/helpers';
import { createPodEvents, type PodEvents } from '@nodeagent/event-recorder';
import { EventEmitter } from 'eventemitter3';
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
  /** Aborted when the agent stops; every part and every call waits on its signal. */
  readonly ended: AbortController;
  /** Resolved by the first housekeeping after all sources have delivered their lists. */
  readonly ready: { readonly promise: Promise<void>; readonly resolve: () => void };
}

/** Options whose host may be absent or incomplete. */
export type HostlessOptions = Omit<AgentOptions, 'host'> & { host?: Partial<NodeHost> };

/** Completes the host of the options, or throws `InvalidOption`. */
export type ChooseHost = (options: HostlessOptions & Pick<CommonPorts, 'clock' | 'logger'>) => NodeHost;

/** Checks the options, then chooses the host. Throws `InvalidOption` naming an option that is invalid. */
export function createAgentContext(options: HostlessOptions, chooseHost: ChooseHost): AgentContext {
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
  const host = chooseHost({ ...options, clock, logger });
  return {
    agent: { ...options, host },
    settings,
    common: { clock, random, recorder, logger, metrics },
    recorder,
    clusterRecorder,
    emitter,
    host,
    logFolders: { pods: podLogsDir, legacy: join(dirname(podLogsDir), 'containers') },
    state: createAgentState({ clock, recorder }),
    ended: createAbortController(),
    ready: createSignal(),
  };
}

function createSignal(): AgentContext['ready'] {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
