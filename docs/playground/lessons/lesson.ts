import type { PlaygroundState } from '../state.js';
import { defaultState } from './default-state.js';

/** A state to learn from, with a few sentences on what it shows. */
export interface Lesson {
  /** Part of the page's address. */
  id: string;
  title: string;
  /** What happens and why, in a few short sentences. */
  text: string;
  /** What to try next. */
  exercise: string;
  /** The page of the Kubernetes documentation. */
  docs: string;
  state: PlaygroundState;
  /** How far the lesson plays before it pauses, in milliseconds. */
  playMs: number;
}

export const minute = 60_000;

/** The state of a lesson: what differs from an empty cluster. */
export const stateOf = (more: Partial<PlaygroundState>): PlaygroundState => ({ ...defaultState, ...more });

export const kubernetesDocs = (page: string) => `https://kubernetes.io/docs/${page}`;
