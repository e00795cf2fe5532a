import { ClusterPanel } from '../../../packages/node-page/cluster-page/cluster-panel.js';
import type { ManifestEditor } from '../editor/editor.js';
import { data as fields } from '../editor/fields.data.js';
import { lessons } from '../lessons/index.js';
import type { Lesson } from '../lessons/lesson.js';
import { data as sourceLinks } from '../links/source-links.data.js';
import { readPermalink, writePermalink } from '../permalink.js';
import type { Problem } from '../session/manifest-text.js';
import type { Frame, Report } from '../session/messages.js';
import type { ActionNow } from '../session/session.js';
import type { PlaygroundState } from '../state.js';
import { type ClusterSettings, createClusterSettings } from './cluster-settings.js';
import { h, setText } from './dom.js';
import { FaultBar } from './fault-bar.js';
import { LessonPanel } from './lesson-panel.js';
import { TimelinePanel } from './timeline-panel.js';
import { TransportBar } from './transport-bar.js';
import { maxSilenceMs, WorkerClient } from './worker-client.js';

/** How long the editor waits for further keys before it checks the text, in milliseconds. */
const checkDelayMs = 400;

/** Mounts the playground into an element; resolves when it can be used. */
export async function mountPlayground(root: HTMLElement): Promise<void> {
  // The code of the worker loads while that of the editor does.
  const playground = new Playground();
  const { ManifestEditor } = await import('../editor/editor.js');
  await playground.open(root, (options) => new ManifestEditor(options));
}

class Playground {
  readonly #client: WorkerClient;
  #editor!: ManifestEditor;
  readonly #cluster: ClusterPanel;
  readonly #timeline = new TimelinePanel(sourceLinks);
  readonly #transport: TransportBar;
  readonly #faults: FaultBar;
  readonly #lesson: LessonPanel;
  readonly #settings: ReturnType<typeof createClusterSettings>;
  readonly #message = h('p', { class: 'pg-message', role: 'alert' });
  readonly #problems = h('ul', { class: 'pg-problems', 'aria-live': 'polite', 'aria-label': 'Problems of the manifests' });
  readonly #heard = h('p', { class: 'pg-hidden', role: 'status' });
  #state: PlaygroundState | undefined;
  #frame: Frame | undefined;
  #checks = 0;
  #checkTimer = 0;
  #isFromEditor = false;

  constructor() {
    const send = (action: ActionNow) => this.#perform(action);
    this.#cluster = new ClusterPanel({
      onSelect: (pod) => {
        this.#faults.setPod(pod);
        this.#timeline.select(pod && `${pod.namespace}/${pod.name}`);
        this.#client.send({ type: 'select', pod: pod && { namespace: pod.namespace, name: pod.name } });
      },
    });
    this.#faults = new FaultBar(send);
    this.#lesson = new LessonPanel((lesson) => this.#openLesson(lesson));
    this.#settings = createClusterSettings((settings) => this.#newCluster(settings));
    this.#transport = new TransportBar({
      onPlay: (speed) => this.#client.send({ type: 'play', speed }),
      onPause: () => this.#client.send({ type: 'pause' }),
      onStep: () => this.#client.send({ type: 'step' }),
      onJump: (at) => this.#client.send({ type: 'jump', at }),
    });
    const createWorker = () => new Worker(new URL('../worker.ts', import.meta.url), { type: 'module' });
    this.#client = new WorkerClient(createWorker, {
      onReport: (report) => this.#receive(report),
      onSilence: (program) => this.#stopped(program),
    });
  }

  /** Shows the page in an element, and opens the state of the address, or the first lesson. */
  async open(root: HTMLElement, createEditor: (options: ConstructorParameters<typeof ManifestEditor>[0]) => ManifestEditor): Promise<void> {
    const editorHost = h('div', { class: 'pg-editor' });
    root.replaceChildren(...this.#layout(editorHost));
    this.#editor = createEditor({
      parent: editorHost,
      fields: async () => fields,
      onChange: () => this.#checkSoon(),
      onApply: () => this.#apply(),
    });
    const link = await readPermalink(location.hash);
    if (link && 'state' in link) return this.#open(link.state);
    const named = lessons.find(({ id }) => location.hash === `#${id}`);
    const [first] = lessons;
    const lesson = named ?? first;
    if (lesson) this.#openLesson(lesson);
    if (link) setText(this.#message, link.problem);
  }

  #layout(editorHost: HTMLElement): HTMLElement[] {
    const apply = h('button', { type: 'button', class: 'pg-primary', onclick: () => this.#apply(), title: 'Ctrl+Enter' }, 'Apply');
    const share = h('button', { type: 'button', onclick: () => void this.#share() }, 'Copy link');
    const later = h(
      'button',
      { type: 'button', onclick: () => this.#client.send({ type: 'drop-later' }), title: 'Removes the actions that are later than now' },
      'Drop later',
    );
    const manifests = h(
      'section',
      { class: 'pg-manifests', 'aria-labelledby': 'pg-manifests-title' },
      h('header', {}, h('h2', { id: 'pg-manifests-title' }, 'Manifests'), apply, share, later),
      this.#lesson.element,
      editorHost,
      this.#problems,
      this.#settings.element,
    );
    const panels = h('div', { class: 'pg-panels' }, manifests, this.#cluster.element, this.#timeline.element);
    return [this.#message, panels, h('div', { class: 'pg-bottom' }, this.#transport.element, this.#faults.element), this.#heard];
  }

  #openLesson(lesson: Lesson): void {
    this.#open(lesson.state, lesson);
    history.replaceState(history.state, '', `#${lesson.id}`);
  }

  #newCluster(settings: ClusterSettings): void {
    this.#open({ ...settings, manifests: this.#editor.text, actions: [] });
    history.replaceState(history.state, '', location.pathname);
  }

  #open(state: PlaygroundState, lesson?: Lesson): void {
    setText(this.#message, '');
    this.#lesson.show(lesson);
    this.#settings.show(state);
    this.#editor.text = state.manifests;
    this.#isFromEditor = false;
    this.#cluster.clear();
    this.#timeline.update(0, []);
    this.#faults.reset();
    this.#transport.extend(Math.max(60_000, lesson?.playMs ?? 0, 1.1 * (state.actions.at(-1)?.at ?? 0)));
    this.#showProblems([]);
    this.#client.send({ type: 'open', state });
  }

  #apply(): void {
    this.#isFromEditor = true;
    this.#perform({ kind: 'apply', manifests: this.#editor.text });
  }

  #perform(action: ActionNow): void {
    this.#client.send({ type: 'perform', action });
  }

  async #share(): Promise<void> {
    if (this.#state === undefined) return;
    const address = `${location.origin}${location.pathname}#${await writePermalink(this.#state)}`;
    history.replaceState(history.state, '', address);
    const isCopied = await navigator.clipboard?.writeText(address).then(
      () => true,
      () => false,
    );
    setText(this.#message, isCopied ? 'The link is in the clipboard and in the address bar.' : 'The link is in the address bar.');
  }

  #checkSoon(): void {
    clearTimeout(this.#checkTimer);
    this.#checkTimer = window.setTimeout(
      () => this.#client.send({ type: 'check', text: this.#editor.text, id: ++this.#checks }),
      checkDelayMs,
    );
  }

  #receive(report: Report): void {
    if (report.type === 'frame') this.#receiveFrame(report.frame);
    else if (report.type === 'busy') this.#transport.setBusy(true);
    else if (report.type === 'state') this.#setState(report.state);
    else if (report.type === 'failed')
      setText(this.#message, `The cluster has failed: ${report.message}. Choose a lesson or start a new cluster.`);
    else if (report.type === 'problems' && (report.check === undefined || report.check === this.#checks))
      this.#showProblems(report.problems);
  }

  #setState(state: PlaygroundState): void {
    this.#state = state;
    this.#transport.setActions(state.actions);
  }

  /** Frames are shown when the browser draws; the worker sends the next one after it. */
  #receiveFrame(frame: Frame): void {
    const isIdle = this.#frame === undefined;
    this.#frame = frame;
    if (isIdle) requestAnimationFrame(() => this.#showFrame());
  }

  #showFrame(): void {
    const frame = this.#frame;
    this.#frame = undefined;
    if (frame === undefined) return;
    const wasLong = this.#timeline.length;
    this.#cluster.update(frame);
    if (frame.nodes) this.#faults.setNodes(frame.nodes);
    if (frame.entries || frame.keptEntries !== undefined) this.#timeline.update(frame.keptEntries, frame.entries ?? []);
    this.#transport.setBusy(frame.isBusy);
    this.#transport.update(frame.at, frame.isPlaying);
    this.#followManifests();
    if (!frame.isPlaying && this.#timeline.length > wasLong)
      setText(this.#heard, `${this.#timeline.length - wasLong} new entries. The last: ${this.#timeline.last?.text ?? ''}`);
    this.#client.send({ type: 'shown' });
  }

  /** The editor shows the manifests that a scripted action applied, unless the user has edited the text. */
  #followManifests(): void {
    const applied = this.#state?.actions.filter(({ kind, at }) => kind === 'apply' && at <= this.#transport.at).at(-1);
    const text = applied?.kind === 'apply' ? applied.manifests : this.#state?.manifests;
    if (!this.#isFromEditor && text !== undefined && text !== this.#editor.text && this.#isKnownText()) this.#editor.text = text;
  }

  /** Whether the text is one of the state's. */
  #isKnownText(): boolean {
    const { text } = this.#editor;
    return (
      this.#state?.manifests === text ||
      this.#state?.actions.some((action) => action.kind === 'apply' && action.manifests === text) === true
    );
  }

  #showProblems(problems: readonly Problem[]): void {
    this.#editor.showProblems(problems.filter(({ line }) => line > 0));
    this.#problems.replaceChildren(...problems.map(({ line, message }) => h('li', {}, line > 0 ? `Line ${line}: ${message}` : message)));
  }

  #stopped(program: string | undefined): void {
    const what = program === undefined ? 'The cluster did not answer' : `The program of ${program} did not yield`;
    setText(
      this.#message,
      `${what} for ${maxSilenceMs / 1000} s, so it was stopped. Change the manifests and start a new cluster, or choose a lesson.`,
    );
    this.#cluster.clear();
  }
}
