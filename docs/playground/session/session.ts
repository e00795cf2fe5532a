import type { Action, PlaygroundState } from '../state.js';
import type { Entry } from './entry.js';
import type { Problem } from './manifest-text.js';
import { Run } from './run.js';
import { TimelineRecorder } from './timeline-recorder.js';
import { type ClusterModel, ClusterReader } from './views.js';

/** How long a step waits for the next entry, in virtual time. */
const maxStepMs = 6 * 3_600_000;

/** Virtual time that passes between two calls of `isCancelled`, at first. */
const firstSliceMs = 100;

/** A slice of time takes about this long, in real milliseconds, so that its caller stays responsive. */
const sliceGoalMs = 6;

export interface SessionOptions {
  state: PlaygroundState;
  /** Real milliseconds. Default `performance.now`. */
  realNow?(): number;
  /** What the API server refused of the manifests. */
  onProblems?(problems: Problem[]): void;
  /** A program of this image runs on. */
  onProgram?(image: string): void;
}

/** A run that can be played, and jumps back by a replay of its state. One call at a time. */
export class Session {
  #state: PlaygroundState;
  #run: Run;
  readonly #recorder: TimelineRecorder;
  readonly #options: Required<SessionOptions>;
  #reader = new ClusterReader();
  #nextAction = 0;
  #sliceMs = firstSliceMs;

  private constructor(options: Required<SessionOptions>, recorder: TimelineRecorder, run: Run) {
    this.#options = options;
    this.#state = options.state;
    this.#recorder = recorder;
    this.#run = run;
  }

  static async create(options: SessionOptions): Promise<Session> {
    const { state, realNow = () => performance.now(), onProblems = () => {}, onProgram = () => {} } = options;
    const recorder = new TimelineRecorder();
    const run = await Run.create(state, { recorder, recordedUntil: -1, onProblems, onProgram });
    return new Session({ state, realNow, onProblems, onProgram }, recorder, run);
  }

  /** The state that replays this run. */
  get state(): PlaygroundState {
    return this.#state;
  }

  /** Milliseconds since the start. */
  get now(): number {
    return this.#run.now;
  }

  /** The timeline until now, oldest first. */
  get entries(): readonly Entry[] {
    return this.#recorder.entries;
  }

  get cluster(): Run['cluster'] {
    return this.#run.cluster;
  }

  read(): ClusterModel {
    return this.#reader.read(this.#run.cluster);
  }

  /** Performs an action now and adds it to the state; later actions stay. Resolves to what is wrong with it. */
  async perform(what: ActionNow): Promise<Problem[]> {
    const action = { ...what, at: this.now } as Action;
    const actions = [...this.#state.actions];
    actions.splice(this.#nextAction++, 0, action);
    this.#state = { ...this.#state, actions };
    return this.#run.perform(action);
  }

  /** Removes the actions of the state that are later than now. */
  dropLaterActions(): void {
    this.#state = { ...this.#state, actions: this.#state.actions.slice(0, this.#nextAction) };
  }

  /** Advances to a time and performs the actions on the way; earlier if `isCancelled`, which is asked between slices. */
  async advanceTo(at: number, isCancelled: () => boolean = () => false): Promise<void> {
    const target = Math.round(at);
    while (this.now < target && !isCancelled()) {
      const next = this.#state.actions[this.#nextAction];
      const started = this.#options.realNow();
      const until = Math.min(target, this.now + this.#sliceMs, next?.at ?? target);
      if (until > this.now) await this.#run.advanceTo(until);
      await this.#performDue();
      const took = Math.max(0.5, this.#options.realNow() - started);
      this.#sliceMs = Math.min(60_000, Math.max(1, Math.round(this.#sliceMs * Math.min(2, sliceGoalMs / took))));
    }
    await this.#performDue();
  }

  /** Advances to the next entry of the timeline. Resolves to false without one within six hours. */
  async step(isCancelled: () => boolean = () => false): Promise<boolean> {
    const next = this.#state.actions[this.#nextAction];
    const limit = next === undefined ? maxStepMs : next.at - this.now;
    if (await this.#run.advanceToEntry(limit, isCancelled)) return true;
    if (next === undefined || isCancelled()) return false;
    await this.#performDue();
    return true;
  }

  /** Jumps to a time: forward, or back by a replay of the state in a new cluster. The entries until then stay. */
  async jumpTo(at: number, isCancelled: () => boolean = () => false): Promise<void> {
    const target = Math.max(0, Math.round(at));
    if (target < this.now) await this.#restart(Math.min(target, this.#recorder.recordedUntil(this.now)));
    await this.advanceTo(target, isCancelled);
  }

  async stop(): Promise<void> {
    await this.#run.stop();
  }

  async #restart(recordedUntil: number): Promise<void> {
    await this.#run.stop();
    this.#recorder.truncate(recordedUntil);
    const { onProblems, onProgram } = this.#options;
    this.#run = await Run.create(this.#state, { recorder: this.#recorder, recordedUntil, onProblems, onProgram });
    this.#nextAction = 0;
    this.#reader = new ClusterReader();
  }

  async #performDue(): Promise<void> {
    for (let next = this.#state.actions[this.#nextAction]; next && next.at <= this.now; next = this.#state.actions[this.#nextAction]) {
      this.#nextAction++;
      await this.#run.perform(next);
    }
  }
}

/** An action without its time, which is now. */
export type ActionNow = Action extends infer A ? (A extends Action ? Omit<A, 'at'> : never) : never;
