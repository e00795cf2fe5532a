import { type Rename, renaming, withoutServerFields } from './canonical.js';
import type { AnyObject } from './cluster.js';
import type { Observed, Observer } from './observer.js';
import type { Scenario, Step } from './scenario.js';

/** The objects of a scenario after one of its steps. */
export interface RecordedStep {
  step: string;
  /** Refused requests. */
  answers?: string[];
  /** All objects; equal ones once, with their number. */
  objects: string[];
}

/** What happened in a scenario. */
export interface Recording {
  scenario: string;
  steps: RecordedStep[];
  /** All events, with their number. */
  events: string[];
  /** The conditions of each object, in the order in which they changed. */
  conditions: string[];
  /** When pods and other objects were created and deleted, in seconds. */
  times: string[];
}

const ignored = new Set(['Event', 'ConfigMap kube-root-ca.crt', 'ServiceAccount default']);

/** Records the steps of a scenario. */
export class Recorder {
  readonly #scenario: Scenario;
  readonly #observer: Observer;
  readonly #start: number;
  readonly #steps: { step: Step; present: Observed[] }[] = [];

  constructor(scenario: Scenario, observer: Observer, start: number) {
    this.#scenario = scenario;
    this.#observer = observer;
    this.#start = start;
  }

  step(step: Step): void {
    const present = this.#observer.of(this.#scenario.name).filter(({ deletedAt }) => deletedAt === undefined);
    this.#steps.push({ step, present: present.map((each) => ({ ...each })) });
  }

  finish(): Recording {
    const all = this.#observer.of(this.#scenario.name);
    const rename = renaming(all, this.#scenario);
    const steps = this.#steps.map(({ step, present }): RecordedStep => {
      const answers = step.answers.map((each) => rename(each));
      const objects = counted(present.filter(isRecorded).map(({ object }) => textOf(object, rename)));
      return { step: step.name, ...(answers.length > 0 && { answers }), objects };
    });
    return {
      scenario: this.#scenario.name,
      steps,
      events: eventTexts(all, rename),
      conditions: conditionTexts(all.filter(isRecorded), rename),
      times: timeTexts(all.filter(isRecorded), rename, this.#start),
    };
  }
}

const isRecorded = ({ object: { kind, metadata } }: Observed): boolean => !ignored.has(kind) && !ignored.has(`${kind} ${metadata.name}`);

const textOf = (object: AnyObject, rename: Rename): string => JSON.stringify(rename(withoutServerFields(object)));

/** Each text once, with its number. */
function counted(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, count]) => `${count} ${text}`).sort();
}

function eventTexts(all: readonly Observed[], rename: Rename): string[] {
  const counts = new Map<string, number>();
  for (const { object } of all) {
    if (object.kind !== 'Event') continue;
    const { involvedObject, type, reason, message, reportingComponent, source, count, series, action } = object;
    const about = `${involvedObject.kind} ${involvedObject.name}${involvedObject.fieldPath ? ` ${involvedObject.fieldPath}` : ''}`;
    const node = / to [^ ]*$/;
    const plain = reason === 'Scheduled' ? String(message).replace(node, ' to NODE') : message;
    const text = JSON.stringify(rename({ about, type, reason, message: plain, reportingComponent, source, action }));
    counts.set(text, (counts.get(text) ?? 0) + (series?.count ?? (count || 1)));
  }
  return [...counts].map(([text, count]) => `${count} ${text}`).sort();
}

function conditionTexts(all: readonly Observed[], rename: Rename): string[] {
  return counted(
    all.flatMap(({ object, conditions }) =>
      conditions.length > 0 && object.kind !== 'Node'
        ? [
            JSON.stringify(
              rename({ kind: object.kind, name: object.metadata.name, conditions: conditions.map((each) => JSON.parse(each)) }),
            ),
          ]
        : [],
    ),
  );
}

const timedKinds = new Set(['Pod', 'Job']);

function timeTexts(all: readonly Observed[], rename: Rename, start: number): string[] {
  const seconds = (ms: number) => Math.round((ms - start) / 1_000);
  return counted(
    all
      .filter(({ object }) => timedKinds.has(object.kind))
      .map(({ object, createdAt, deletedAt }) =>
        rename(
          `${object.kind} ${object.metadata.name}: ${seconds(createdAt)}${deletedAt === undefined ? '' : ` to ${seconds(deletedAt)}`}`,
        ),
      ),
  );
}
