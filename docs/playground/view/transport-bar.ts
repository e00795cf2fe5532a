import type { Action } from '../state.js';
import { h, setAttribute, setText } from './dom.js';
import { timeText } from './time-text.js';

const speeds = [1, 10, 100, 1_000, 10_000];

export interface TransportListener {
  onPlay(speed: number): void;
  onPause(): void;
  onStep(): void;
  onJump(at: number): void;
}

/** Plays, pauses, steps and jumps. */
export class TransportBar {
  readonly element: HTMLElement;
  readonly #play = h('button', { type: 'button', class: 'pg-primary' }, 'Play');
  readonly #speed = h(
    'select',
    { 'aria-label': 'Speed' },
    ...speeds.map((speed) => h('option', { value: speed, selected: speed === 10 }, `${speed.toLocaleString('en')}x`)),
  );
  readonly #range = h('input', { type: 'range', min: 0, max: 60_000, step: 1, value: 0, 'aria-label': 'Time' });
  readonly #time = h('output', { class: 'pg-time' }, timeText(0));
  readonly #marks = h('div', { class: 'pg-marks', 'aria-hidden': 'true' });
  #isPlaying = false;
  #isDragging = false;
  #actions: readonly Action[] = [];

  constructor(listener: TransportListener) {
    const jumpTo = (at: number) => {
      this.setBusy(true);
      listener.onJump(at);
    };
    const toggle = () => (this.#isPlaying ? listener.onPause() : listener.onPlay(Number(this.#speed.value)));
    this.#play.addEventListener('click', toggle);
    this.#speed.addEventListener('change', () => this.#isPlaying && listener.onPlay(Number(this.#speed.value)));
    this.#range.addEventListener('input', () => {
      this.#isDragging = true;
      setText(this.#time, timeText(Number(this.#range.value)));
    });
    this.#range.addEventListener('change', () => {
      this.#isDragging = false;
      jumpTo(Number(this.#range.value));
    });
    const jump = (ms: number) => () => jumpTo(Math.max(0, this.at + ms));
    this.element = h(
      'section',
      { class: 'pg-transport', 'aria-label': 'Time' },
      h('button', { type: 'button', onclick: () => jumpTo(0), 'aria-label': 'Jump to the start' }, '|◀'),
      h('button', { type: 'button', onclick: jump(-60_000), title: 'Jump back one minute' }, '−1m'),
      this.#play,
      h('button', { type: 'button', onclick: () => listener.onStep() }, 'Step'),
      h('button', { type: 'button', onclick: jump(60_000), title: 'Jump forward one minute' }, '+1m'),
      this.#speed,
      h('div', { class: 'pg-range' }, this.#range, this.#marks),
      this.#time,
    );
  }

  /** The time that it shows. */
  get at(): number {
    return Number(this.#range.value);
  }

  /** Whether the worker is on its way to the time. */
  setBusy(isBusy: boolean): void {
    setAttribute(this.element, 'aria-busy', isBusy ? 'true' : undefined);
  }

  update(at: number, isPlaying: boolean): void {
    this.#isPlaying = isPlaying;
    setText(this.#play, isPlaying ? 'Pause' : 'Play');
    if (this.#isDragging) return;
    if (at > Number(this.#range.max)) this.extend(at * 1.25);
    this.#range.value = String(at);
    setAttribute(this.#range, 'aria-valuetext', timeText(at));
    setText(this.#time, timeText(at));
  }

  /** Sets the end of the time line. */
  extend(to: number): void {
    this.#range.max = String(Math.round(to));
    this.setActions(this.#actions);
  }

  setActions(actions: readonly Action[]): void {
    this.#actions = actions;
    const max = Number(this.#range.max);
    const marks = actions
      .filter(({ at }) => at <= max)
      .map(({ at, kind }) => h('i', { style: `left: ${(at / max) * 100}%`, title: `${timeText(at)} ${kind}` }));
    this.#marks.replaceChildren(...marks);
  }
}
