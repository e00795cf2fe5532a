/** The behaviour of one run of a container. All fields are optional: by default it starts at once and runs until it is stopped. */
export interface ContainerBehaviour {
  /** It exits by itself. Absent: it runs until it is stopped, and needs no timer. */
  exit?: {
    /** Milliseconds after its start. Default 0. */
    afterMs?: number;
    /** Default 0. */
    code?: number;
    /** Default `Completed` for code 0, else `Error`; `OOMKilled` for one that ran out of memory. */
    reason?: string;
    /** The runtime's message in the container's status. */
    message?: string;
  };
  /** How long StartContainer takes, in milliseconds. Default 0. */
  startMs?: number;
  /** StartContainer fails with this message; the container is then exited with code 128 and reason `StartError`. */
  startError?: string;
  /** Reaction to the stop signal. Default: it exits at once with 143; `'ignore'`: it exits on SIGKILL only, with 137. */
  onStop?: 'ignore' | { afterMs?: number; code?: number };
  /** Response to ExecSync. Default: exit code 0 and no output. */
  exec?: ExecAnswer | ((command: string[]) => ExecAnswer);
  /**
   * Whether it responds on its ports, for `serves` of the runtime in simulations of probes: fixed, or by milliseconds since its start and
   * port. Default true.
   */
  serves?: boolean | ((runningMs: number, port: number) => boolean);
  /** Lines it writes, at its start or `afterMs` milliseconds later. */
  logs?: (string | ScriptedLogLine)[];
  /** Written to the container's termination log when it exits. */
  terminationMessage?: string;
  /** Its resource usage: fixed, or by milliseconds since its start. Default none. */
  usage?: ContainerUsage | ((runningMs: number) => ContainerUsage);
}

export interface ScriptedLogLine {
  text: string;
  /** Default 0. */
  afterMs?: number;
  /** Default `stdout`. */
  stream?: 'stdout' | 'stderr';
}

/** The result of a command in a container. */
export interface ExecAnswer {
  /** Default 0. */
  exitCode?: number;
  stdout?: string;
  stderr?: string;
  /** How long the command takes, in milliseconds. Default 0; Infinity for one that never ends. */
  afterMs?: number;
}

export interface ContainerUsage {
  /** CPU usage in nanocores. */
  nanoCores?: number;
  /** Working set. */
  memoryBytes?: number;
  /** Writable layer. */
  diskBytes?: number;
  inodes?: number;
}

/** The containers that a script applies to; absent fields match all. */
export interface ContainerMatch {
  name?: string | RegExp;
  /** The image name in the pod's spec. */
  image?: string | RegExp;
  /** The pod's name. */
  pod?: string | RegExp;
  namespace?: string | RegExp;
}

/** A container, as passed to scripts. */
export interface ContainerSubject {
  name: string;
  /** CRI's attempt: the number of previous restarts. */
  attempt: number;
  image: string;
  pod: string;
  namespace: string;
  /** Its environment. */
  env: Readonly<Record<string, string>>;
}

/** One behaviour for all runs; a list with one for each attempt, the last one also for all further attempts; or a function. */
export type Script = ContainerBehaviour | ContainerBehaviour[] | ((container: ContainerSubject) => ContainerBehaviour);

/** The scripts of a runtime. If several match, the last added one is used. */
export class ScriptBook {
  readonly #scripts: { match: ContainerMatch; script: Script }[] = [];

  add(match: string | ContainerMatch, script: Script): void {
    this.#scripts.unshift({ match: typeof match === 'string' ? { name: match } : match, script });
  }

  /** The behaviour of the run; undefined without a script. */
  behaviourOf(container: ContainerSubject): ContainerBehaviour | undefined {
    const script = this.#scripts.find(({ match }) => matches(match, container))?.script;
    return script && scriptedBehaviour(script, container);
  }
}

/** The behaviour of the run by a script that matches it. */
export function scriptedBehaviour(script: Script, container: ContainerSubject): ContainerBehaviour {
  if (typeof script === 'function') return script(container);
  if (!Array.isArray(script)) return script;
  return script[Math.min(container.attempt, script.length - 1)] ?? {};
}

function matches(match: ContainerMatch, container: ContainerSubject): boolean {
  const { name, image, pod, namespace } = match;
  const fits = (wanted: string | RegExp | undefined, value: string) =>
    wanted === undefined || (typeof wanted === 'string' ? wanted === value : wanted.test(value));
  return fits(name, container.name) && fits(image, container.image) && fits(pod, container.pod) && fits(namespace, container.namespace);
}
