import type { NodeModel, PodDetailsModel, PodModel, WorkloadModel } from '@nodeagent/pod-view/cluster';
import type { PlaygroundState } from '../state.js';
import type { Entry } from './entry.js';
import type { Problem } from './manifest-text.js';
import type { ActionNow } from './session.js';

/** What the page asks of the worker. */
export type Request =
  | { type: 'open'; state: PlaygroundState }
  | { type: 'play'; speed: number }
  | { type: 'pause' }
  | { type: 'step' }
  | { type: 'jump'; at: number }
  | { type: 'perform'; action: ActionNow }
  | { type: 'drop-later' }
  | { type: 'select'; pod: { namespace: string; name: string } | undefined }
  | { type: 'check'; text: string; id: number }
  /** The page has shown the last frame. */
  | { type: 'shown' }
  | { type: 'ping' };

/** What the worker reports. */
export type Report =
  | { type: 'frame'; frame: Frame }
  /** The worker is replaying the run, or looking for the next entry; the next frame that is not busy ends it. */
  | { type: 'busy' }
  /** `check`: the id of the check that found them; absent for what the API server refused. */
  | { type: 'problems'; problems: Problem[]; check?: number }
  | { type: 'state'; state: PlaygroundState }
  /** A program starts or continues to run: the last one before a silence is the one that never yields. */
  | { type: 'running'; program: string }
  | { type: 'failed'; message: string }
  | { type: 'pong' };

/** What has changed since the last frame; absent fields have not. */
export interface Frame {
  /** Milliseconds since the start of the run. */
  at: number;
  isPlaying: boolean;
  /** Whether the worker still replays the run to this time. */
  isBusy: boolean;
  nodes?: NodeModel[];
  /** Changed and new pods. */
  pods?: PodModel[];
  /** Ids of removed pods. */
  removed?: string[];
  workloads?: WorkloadModel[];
  /** New entries. */
  entries?: Entry[];
  /** The number of entries that stay before the new ones, after a jump back. */
  keptEntries?: number;
  details?: PodDetailsModel | null;
}
