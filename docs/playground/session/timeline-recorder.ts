import type { TimelineEntry } from '@nodeagent/api';
import type { TestNode } from '@nodeagent/test-cluster';
import { topicOfEntry, topicOfEvent, topicOfMethod } from '../links/topics.js';
import type { Entry } from './entry.js';
import type { RuntimeCall } from './observe-runtime.js';

/** Collects what a cluster reports as entries, oldest first. */
export class TimelineRecorder {
  entries: Entry[] = [];
  /** While false nothing is recorded: a replay repeats what is recorded already. */
  isRecording = true;
  readonly #startedAt: number;

  /** `startedAt`: the wall-clock time of the start of the run. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  user(at: number, text: string, topic: Entry['topic'], warning = false): void {
    this.#add({ at, from: 'user', who: 'you', text, warning, topic });
  }

  /** Listens to the current agent of a node. */
  follow(node: Pick<TestNode, 'name' | 'agent'>): void {
    node.agent.on('timeline', (entry) => this.#agent(node.name, entry));
  }

  /** Adds an event of the scheduler or a controller. */
  event({ component, reason, message, type, object }: ControllerEvent, at: number): void {
    const { kind, namespace, name } = object;
    const text = kind === 'Pod' ? `${reason}: ${message}` : `${kind} ${name}: ${reason}: ${message}`;
    const pod = kind === 'Pod' ? { pod: `${namespace}/${name}` } : {};
    this.#add({ at, from: 'controller', who: component, ...pod, text, warning: type === 'Warning', topic: topicOfEvent(reason) });
  }

  /** Adds a call of a node to its runtime. */
  call(node: string, at: number, { method, pod, subject, error }: RuntimeCall): void {
    const text = [`CRI ${method}`, subject, error && `failed: ${error}`].filter(Boolean).join(' ');
    const named = pod === undefined ? {} : { pod };
    this.#add({ at, from: 'runtime', who: node, ...named, text, warning: error !== undefined, topic: topicOfMethod(method) });
  }

  /** Removes the entries after a time. */
  truncate(at: number): void {
    this.entries = this.entries.filter((entry) => entry.at <= at);
  }

  #agent(node: string, { time, kind, pod, text, warning = false, fields }: TimelineEntry): void {
    const named = pod && { pod: `${pod.namespace}/${pod.name}` };
    this.#add({ at: time - this.#startedAt, from: 'agent', who: node, ...named, text, warning, topic: topicOfEntry(kind, text, fields) });
  }

  #add(entry: Omit<Entry, 'id'>): void {
    if (this.isRecording) this.entries.push({ id: (this.entries.at(-1)?.id ?? 0) + 1, ...entry });
  }
}

/** An event of the API server that no agent wrote. */
export interface ControllerEvent {
  component: string;
  reason: string;
  message: string;
  type: string;
  object: { kind: string; namespace: string; name: string };
}
