import { changedPods, type NodeModel, type PodDetailsModel, type PodModel, type WorkloadModel } from '@nodeagent/pod-view/cluster';
import type { Entry } from './entry.js';
import type { Frame } from './messages.js';
import { ModelHistory } from './model-history.js';
import { readPodDetails } from './pod-details.js';
import type { Session } from './session.js';
import type { ClusterModel } from './views.js';

/** The share of the worker's time that frames may take: after one that took 1 ms the next is at least 3 ms away while time runs. */
const restFactor = 3;

/** The number of entries that one frame carries at most; the rest follows in the next. */
const maxEntries = 5_000;

/** Writes what has changed since the last frame. */
export class FrameWriter {
  selected: { namespace: string; name: string } | undefined;
  readonly #realNow: () => number;
  #pods = new Map<string, PodModel>();
  #nodes = '';
  #workloads = '';
  #details = '';
  #sent: Entry[] = [];
  #restUntil = 0;
  #last = '';
  #history = new ModelHistory();

  constructor(realNow: () => number) {
    this.#realNow = realNow;
  }

  /** A new session begins: the next frame is complete. */
  restart(): void {
    this.#pods = new Map();
    [this.#nodes, this.#workloads, this.#details, this.#last] = ['', '', '', ''];
    this.#sent = [];
    this.#restUntil = 0;
    this.#history = new ModelHistory();
  }

  /** The next frame is written even if nothing has changed: the page waits for it. */
  require(): void {
    this.#last = '';
    this.#restUntil = 0;
  }

  /** The next frame; undefined if nothing has changed, or if it is too early for one while time runs. */
  write(session: Session, isPlaying: boolean): Frame | undefined {
    const started = this.#realNow();
    if (isPlaying && started < this.#restUntil) return undefined;
    const model = session.read();
    this.#history.add(session.now, model);
    const details = this.selected && readPodDetails(session.cluster, this.selected);
    const frame: Frame = {
      ...{ at: session.now, isPlaying, isBusy: false },
      ...this.#changes(model, session.entries),
      ...this.#changedDetails(details),
    };
    const ended = this.#realNow();
    this.#restUntil = ended + restFactor * (ended - started);
    const summary = `${frame.at} ${isPlaying}`;
    if (summary === this.#last && Object.keys(frame).length === 3) return undefined;
    this.#last = summary;
    return frame;
  }

  /** What was shown at an earlier time, while a replay to it runs; undefined if nothing was. */
  writePast(session: Session, at: number): Frame | undefined {
    const model = this.#history.until(at);
    this.#history.truncate(at);
    this.#restUntil = 0;
    if (model === undefined) return undefined;
    const entries = session.entries.filter((entry) => entry.at <= at);
    return { ...{ at, isPlaying: false, isBusy: true }, ...this.#changes(model, entries) };
  }

  #changes({ nodes, pods, workloads }: ClusterModel, entries: readonly Entry[]): Partial<Frame> {
    return { ...this.#changedNodes(nodes), ...this.#changedPods(pods), ...this.#changedWorkloads(workloads), ...this.#newEntries(entries) };
  }

  #changedNodes(nodes: NodeModel[]): Pick<Frame, 'nodes'> {
    const text = JSON.stringify(nodes);
    if (text === this.#nodes) return {};
    this.#nodes = text;
    return { nodes };
  }

  #changedWorkloads(workloads: WorkloadModel[]): Pick<Frame, 'workloads'> {
    const text = JSON.stringify(workloads);
    if (text === this.#workloads) return {};
    this.#workloads = text;
    return { workloads };
  }

  /** An unchanged pod keeps its model. */
  #changedPods(all: PodModel[]): Pick<Frame, 'pods' | 'removed'> {
    const before = this.#pods;
    this.#pods = new Map(all.map((pod) => [pod.id, pod]));
    return changedPods(before, this.#pods);
  }

  /** After a jump back, the first entries are those that were sent. */
  #newEntries(entries: Session['entries']): Pick<Frame, 'entries' | 'keptEntries'> {
    const sent = this.#sent;
    let kept = Math.min(sent.length, entries.length);
    while (kept > 0 && entries[kept - 1] !== sent[kept - 1]) kept--;
    const isCut = kept < sent.length;
    const fresh = entries.slice(kept, kept + maxEntries);
    if (isCut) sent.length = kept;
    sent.push(...fresh);
    return { ...(isCut && { keptEntries: kept }), ...(fresh.length > 0 && { entries: fresh }) };
  }

  #changedDetails(details: PodDetailsModel | undefined): Pick<Frame, 'details'> {
    const text = JSON.stringify(details) ?? '';
    if (text === this.#details) return {};
    this.#details = text;
    return { details: details ?? null };
  }
}
