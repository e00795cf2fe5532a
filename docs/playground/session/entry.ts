import type { Topic } from '../links/topics.js';

/** One line of the playground's timeline. */
export interface Entry {
  /** Number of the entry in its run, from 1. */
  id: number;
  /** Milliseconds since the start of the run. */
  at: number;
  /** What reported it: a node's agent, its runtime, a controller or the scheduler, or the user. */
  from: 'agent' | 'runtime' | 'controller' | 'user';
  /** The node or the component. */
  who: string;
  /** `namespace/name`; absent for an entry about a node. */
  pod?: string;
  text: string;
  warning: boolean;
  /** The decision that it shows. */
  topic: Topic;
}
