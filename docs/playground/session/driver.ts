import { errorMessage } from '@nodeagent/api';
import { checkManifests } from './check-manifests.js';
import { FrameWriter } from './frame-writer.js';
import type { Report, Request } from './messages.js';
import { Session } from './session.js';

/** How long one piece of work takes at most before the driver looks for requests, in real milliseconds. */
const turnMs = 12;

/** Real time that one turn makes up for at most: time does not rush after a pause of the browser. */
const maxLagMs = 100;

export interface DriverOptions {
  post(report: Report): void;
  /** Resolves when waiting messages have been received, or after these milliseconds. */
  pause(ms: number): Promise<void>;
  realNow(): number;
}

/** Runs a session for a page: receives its requests, advances time, and posts at most one frame for each that the page has shown. */
export class Driver {
  readonly #options: DriverOptions;
  readonly #requests: Request[] = [];
  readonly #frames: FrameWriter;
  #session: Session | undefined;
  #speed = 0;
  #last = 0;
  #isRunning = false;
  #isShown = true;
  #program: string | undefined;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#frames = new FrameWriter(options.realNow);
  }

  receive(request: Request): void {
    if (request.type === 'ping') this.#options.post({ type: 'pong' });
    else if (request.type === 'shown') this.#isShown = true;
    else this.#requests.push(request);
    void this.#work();
  }

  /** Works until there is nothing to do. */
  async #work(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (let next = this.#requests.shift(); next || this.#speed > 0; next = this.#requests.shift()) {
        if (next) await this.#handle(next);
        else await this.#play();
        this.#postFrame();
      }
    } catch (error) {
      this.#speed = 0;
      this.#options.post({ type: 'failed', message: errorMessage(error) });
    } finally {
      this.#isRunning = false;
    }
    this.#postFrame();
  }

  async #handle(request: Request): Promise<void> {
    if (request.type === 'open') return this.#open(request.state);
    if (request.type === 'check')
      return void this.#options.post({ type: 'problems', problems: await checkManifests(request.text), check: request.id });
    const session = this.#session;
    if (session === undefined) return;
    switch (request.type) {
      case 'play':
        this.#speed = request.speed;
        this.#last = this.#options.realNow();
        return;
      case 'pause':
        this.#speed = 0;
        return;
      case 'step':
        this.#speed = 0;
        return void (await this.#busy(() => session.step(this.#isInterrupted)));
      case 'jump':
        await this.#showPast(session, request.at);
        return this.#busy(() => session.jumpTo(request.at, this.#isInterrupted));
      case 'perform': {
        const problems = await session.perform(request.action);
        this.#options.post({ type: 'problems', problems });
        return this.#options.post({ type: 'state', state: session.state });
      }
      case 'drop-later':
        session.dropLaterActions();
        return this.#options.post({ type: 'state', state: session.state });
      case 'select':
        this.#frames.selected = request.pod;
    }
  }

  async #open(state: Session['state']): Promise<void> {
    this.#speed = 0;
    await this.#session?.stop();
    this.#session = undefined;
    this.#frames.restart();
    const { realNow, post } = this.#options;
    this.#session = await Session.create({
      state,
      realNow,
      onProblems: (problems) => post({ type: 'problems', problems }),
      onProgram: (program) => this.#reportProgram(program),
    });
    post({ type: 'state', state });
  }

  /** The page must know which program runs before it runs: one that never yields reports nothing more. */
  #reportProgram(program: string): void {
    if (program === this.#program) return;
    this.#program = program;
    this.#options.post({ type: 'running', program });
  }

  /** One turn of playing time. */
  async #play(): Promise<void> {
    const { realNow, pause } = this.#options;
    const session = this.#session;
    if (session === undefined) return;
    const now = realNow();
    const target = session.now + Math.min(maxLagMs, now - this.#last) * this.#speed;
    if (target - session.now >= 1) {
      this.#last = now;
      await session.advanceTo(target, () => this.#requests.length > 0 || realNow() - now > turnMs);
    }
    // A turn that was on time waits for the next frame.
    await pause(realNow() - now < turnMs ? 4 : 0);
  }

  /** Shows what the page showed at an earlier time, before the replay to it, which takes longer. */
  async #showPast(session: Session, at: number): Promise<void> {
    if (at >= session.now) return;
    const { realNow, pause, post } = this.#options;
    const limit = realNow() + maxLagMs;
    while (!this.#isShown && realNow() < limit) await pause(4);
    const frame = this.#isShown ? this.#frames.writePast(session, at) : undefined;
    if (frame === undefined) return;
    this.#isShown = false;
    post({ type: 'frame', frame });
    await pause(0);
  }

  /** Long work: the page learns about it, and messages are received meanwhile. */
  async #busy(work: () => Promise<unknown>): Promise<void> {
    const { realNow, post, pause } = this.#options;
    post({ type: 'busy' });
    await pause(0);
    await work();
    this.#frames.require();
    this.#last = realNow();
  }

  /** Whether a request makes the current one pointless. */
  readonly #isInterrupted = () => this.#requests.some(({ type }) => type === 'open' || type === 'jump' || type === 'pause');

  #postFrame(): void {
    if (!this.#isShown || this.#session === undefined) return;
    const frame = this.#frames.write(this.#session, this.#speed > 0);
    if (frame === undefined) return;
    this.#isShown = false;
    this.#options.post({ type: 'frame', frame });
  }
}
