import { podContainers, podKey } from '@nodeagent/api/helpers';
import type { NodeAgent, PodView } from '@nodeagent/core/node';
import type { Console } from '../../console.js';
import { aborted, type Interrupts } from '../../interrupts.js';
import type { RejectedManifest } from '../../local-api/rejected-manifests.js';
import { printable } from '../../terminal/printable.js';
import { failureTexts, notRunCode, type OnceOutcome, onceOutcome } from './once-pod.js';
import type { OnceSource } from './once-source.js';
import { copyLog, hasEnded, type ReadInstance, startedInstances } from './print-logs.js';

export interface OncePorts {
  agent: Pick<NodeAgent, 'start' | 'stop' | 'stopPods' | 'pods' | 'on'>;
  interrupts: Pick<Interrupts, 'first' | 'second' | 'why'>;
  source: OnceSource;
  rejected(): readonly RejectedManifest[];
  readLog: ReadInstance;
  console: Pick<Console, 'stdout' | 'stderr'>;
}

/** Exit codes after an interrupt, as a shell reports them for a program that the signal ends. */
const interruptCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, 'output closed': 141 } as const;

/**
 * Runs the pod of the source to its end, and copies its logs to stdout and stderr. The first interrupt stops it within its grace period, the second
 * one at once.
 * @returns the exit code of {@link onceOutcome}, or that of the interrupt
 */
export async function runOnce(ports: OncePorts): Promise<number> {
  return new OnceRun(ports).run();
}

class OnceRun {
  readonly #ports: OncePorts;
  readonly #logs = new Map<string, Promise<void>>();
  readonly #listeners = new Set<(view: PodView) => void>();
  /** The last view of the pod, also after its removal. */
  #view: PodView | undefined;

  constructor(ports: OncePorts) {
    this.#ports = ports;
  }

  async run(): Promise<number> {
    const { agent, interrupts } = this.#ports;
    for (const event of ['status', 'removed'] as const) agent.on(event, () => this.#update());
    const stopNow = aborted(interrupts.second).then(() => undefined);
    const graceful = this.#runGracefully();
    // Aborted calls of the graceful end reject after the second interrupt.
    graceful.catch(() => {});
    return (await Promise.race([graceful, stopNow])) ?? this.#interruptCode();
  }

  async #runGracefully(): Promise<number> {
    const { agent, interrupts } = this.#ports;
    const ended = this.#end();
    const start = agent.start();
    start.catch(() => {});
    await Promise.race([start, aborted(interrupts.first)]);
    const problem = interrupts.first.aborted ? undefined : this.#problem();
    const outcome = problem ?? (await Promise.race([ended, aborted(interrupts.first).then(() => undefined)]));
    for (const text of outcome ? this.#texts(outcome) : []) this.#ports.console.stderr.write(`error: ${printable(text)}\n`);
    if (outcome !== undefined) await this.#logsEnd();
    await agent.stopPods(interrupts.second);
    await this.#logsEnd();
    await agent.stop();
    return outcome?.exitCode ?? this.#interruptCode();
  }

  /** Why the manifest has no pod to run. */
  #problem(): OnceOutcome | undefined {
    const { rejected, source } = this.#ports;
    const [first] = rejected();
    if (first !== undefined) return { exitCode: notRunCode, reason: first.message };
    const { length } = source.pods() ?? [];
    return length === 1
      ? undefined
      : { exitCode: notRunCode, reason: `--once runs one pod; the manifest has ${length === 0 ? 'none' : length}` };
  }

  #texts({ reason }: OnceOutcome): string[] {
    const pod = this.#view ? `pod ${podKey(this.#view.pod)}: ` : '';
    const texts = [...(reason === undefined ? [] : [reason]), ...(this.#view ? failureTexts(this.#view) : [])];
    return texts.map((text) => `${pod}${text}`);
  }

  #end(): Promise<OnceOutcome> {
    return new Promise((resolve) => {
      this.#listeners.add((view) => {
        const outcome = onceOutcome(view);
        if (outcome !== undefined) resolve(outcome);
      });
    });
  }

  #update(): void {
    const [view] = this.#ports.agent.pods();
    if (view === undefined) {
      // Removed: no container runs.
      if (this.#view !== undefined) this.#view = { ...this.#view, status: {} };
    } else this.#view = view;
    if (this.#view === undefined) return;
    this.#readLogs(this.#view);
    for (const listener of [...this.#listeners]) listener(this.#view);
  }

  /** Starts to read the logs of instances that have started since. */
  #readLogs(view: PodView): void {
    const { console, readLog } = this.#ports;
    const hasSeveral = [...podContainers(view.pod)].length > 1;
    for (const instance of startedInstances(view.status)) {
      const key = `${instance.container} ${instance.attempt}`;
      if (this.#logs.has(key)) continue;
      const pieces = readLog(
        view,
        instance,
        this.#until((status) => hasEnded(status, instance)),
      );
      const copied = copyLog(pieces, hasSeveral ? `[${instance.container}] ` : '', console);
      const reported = copied.catch((error) => console.stderr.write(`error: log of ${instance.container}: ${printable(String(error))}\n`));
      this.#logs.set(
        key,
        reported.then(() => {}),
      );
    }
  }

  #until(fits: (status: PodView['status']) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = ({ status }: PodView) => {
        if (!fits(status)) return;
        this.#listeners.delete(check);
        resolve();
      };
      this.#listeners.add(check);
      if (this.#view !== undefined) check(this.#view);
    });
  }

  async #logsEnd(): Promise<void> {
    await Promise.all(this.#logs.values());
  }

  #interruptCode(): number {
    return interruptCodes[this.#ports.interrupts.why() ?? 'SIGINT'];
  }
}
