import type { TimelineEntry } from '@nodeagent/api';
import type { TestNode } from '@nodeagent/test-cluster';
import { topicOfEntry, topicOfEvent, topicOfMethod } from '../links/topics.js';
import type { Entry } from './entry.js';
import type { RuntimeCall } from './observe-runtime.js';

/** Collects what a cluster reports as entries, oldest first. */
export class TimelineRecorder {
  entries: Entry[] = [];
  #now: () => number = () => 0;
  #recordedUntil = -1;

  /** A cluster starts; `now` is its time since then. What happens until `recordedUntil` is recorded already. */
  begin(now: () => number, recordedUntil: number): void {
    // An entry between two milliseconds counts to the later one, before which a run can stop.
    this.#now = () => Math.ceil(now());
    this.#recordedUntil = recordedUntil;
  }

  user(text: string, topic: Entry['topic'], warning = false): void {
    this.#add({ from: 'user', who: 'you', text, warning, topic });
  }

  /** Listens to the current agent of a node. */
  follow(node: Pick<TestNode, 'name' | 'agent'>): void {
    node.agent.on('timeline', (entry) => this.#agent(node.name, entry));
  }

  /** Adds an event of the scheduler or a controller. */
  event({ component, reason, message, type, object }: ControllerEvent): void {
    const { kind, namespace, name } = object;
    const text = kind === 'Pod' ? `${reason}: ${message}` : `${kind} ${name}: ${reason}: ${message}`;
    const pod = kind === 'Pod' ? { pod: `${namespace}/${name}` } : {};
    this.#add({ from: 'controller', who: component, ...pod, text, warning: type === 'Warning', topic: topicOfEvent(reason) });
  }

  /** Adds a call of a node to its runtime. */
  call(node: string, { method, pod, subject, error }: RuntimeCall): void {
    const text = [`CRI ${method}`, subject, error && `failed: ${error}`].filter(Boolean).join(' ');
    const named = pod === undefined ? {} : { pod };
    this.#add({ from: 'runtime', who: node, ...named, text, warning: error !== undefined, topic: topicOfMethod(method) });
  }

  /** The time until which all entries are recorded, if the run is at `now`. */
  recordedUntil(now: number): number {
    return Math.max(now, this.#recordedUntil);
  }

  /** Removes the entries after a time. */
  truncate(at: number): void {
    this.entries = this.entries.filter((entry) => entry.at <= at);
  }

  #agent(node: string, { kind, pod, text, warning = false, fields }: TimelineEntry): void {
    const named = pod && { pod: `${pod.namespace}/${pod.name}` };
    this.#add({ from: 'agent', who: node, ...named, text, warning, topic: topicOfEntry(kind, text, fields) });
  }

  #add(entry: Omit<Entry, 'id' | 'at'>): void {
    const at = this.#now();
    if (at > this.#recordedUntil) this.entries.push({ id: (this.entries.at(-1)?.id ?? 0) + 1, at, ...entry });
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
