/** How one run of a container goes. Everything is optional: by default it starts at once and runs until it is told to stop. */
export interface ContainerBehaviour {
  /** It ends by itself. Absent: it runs for ever, which costs no timer. */
  exit?: {
    /** Milliseconds after its start. Default 0. */
    afterMs?: number;
    /** Default 0. */
    code?: number;
    /** Default `Completed` for code 0, else `Error`; `OOMKilled` for one that ran out of memory. */
    reason?: string;
    /** The runtime's own message in the container's status. */
    message?: string;
  };
  /** How long StartContainer takes, in milliseconds. Default 0. */
  startMs?: number;
  /** StartContainer fails with this text; the container has then exited with 128 and `StartError`. */
  startError?: string;
  /** What the stop signal does. Default: it ends at once with 143; `'ignore'`: only SIGKILL ends it, with 137. */
  onStop?: 'ignore' | { afterMs?: number; code?: number };
  /** Answer of ExecSync. Default: exit code 0 and no output. */
  exec?: ExecAnswer | ((command: string[]) => ExecAnswer);
  /**
   * Whether it answers on its ports, as a simulation of probes asks by `serves` of the runtime: fixed, or by milliseconds since its
   * start and port. Default true.
   */
  serves?: boolean | ((runningMs: number, port: number) => boolean);
  /** Lines it writes, at its start or `afterMs` milliseconds later. */
  logs?: (string | ScriptedLogLine)[];
  /** Written to the file mounted at the container's termination message path when it ends. */
  terminationMessage?: string;
  /** What it uses, fixed or by milliseconds since its start. Default nothing. */
  usage?: ContainerUsage | ((runningMs: number) => ContainerUsage);
}

export interface ScriptedLogLine {
  text: string;
  /** Default 0. */
  afterMs?: number;
  /** Default `stdout`. */
  stream?: 'stdout' | 'stderr';
}

/** How a command in a container goes. */
export interface ExecAnswer {
  /** Default 0. */
  exitCode?: number;
  stdout?: string;
  stderr?: string;
  /** How long the command takes, in milliseconds. Default 0; Infinity for one that never ends. */
  afterMs?: number;
}

export interface ContainerUsage {
  /** CPU in use, in billionths of a core. */
  nanoCores?: number;
  /** Working set. */
  memoryBytes?: number;
  /** Writable layer. */
  diskBytes?: number;
  inodes?: number;
}

/** Which containers a script is for; what is absent matches all. */
export interface ContainerMatch {
  name?: string | RegExp;
  /** The image as the pod names it. */
  image?: string | RegExp;
  /** The pod's name. */
  pod?: string | RegExp;
  namespace?: string | RegExp;
}

/** A container as scripts see it. */
export interface ContainerSubject {
  name: string;
  /** CRI's attempt: how often the container was restarted before. */
  attempt: number;
  image: string;
  pod: string;
  namespace: string;
  /** Its environment. */
  env: Readonly<Record<string, string>>;
}

/** One behaviour for every run; a list, one for each attempt with the last one for all further; or a function that decides. */
export type Script = ContainerBehaviour | ContainerBehaviour[] | ((container: ContainerSubject) => ContainerBehaviour);

/** The scripts of a runtime; of those that match, the one added last counts. */
export class ScriptBook {
  readonly #scripts: { match: ContainerMatch; script: Script }[] = [];

  add(match: string | ContainerMatch, script: Script): void {
    this.#scripts.unshift({ match: typeof match === 'string' ? { name: match } : match, script });
  }

  /** The behaviour of the run; the empty one if nothing is scripted. */
  behaviourOf(container: ContainerSubject): ContainerBehaviour {
    const script = this.#scripts.find(({ match }) => matches(match, container))?.script ?? {};
    if (typeof script === 'function') return script(container);
    if (!Array.isArray(script)) return script;
    return script[Math.min(container.attempt, script.length - 1)] ?? {};
  }
}

function matches(match: ContainerMatch, container: ContainerSubject): boolean {
  const { name, image, pod, namespace } = match;
  const fits = (wanted: string | RegExp | undefined, value: string) =>
    wanted === undefined || (typeof wanted === 'string' ? wanted === value : wanted.test(value));
  return fits(name, container.name) && fits(image, container.image) && fits(pod, container.pod) && fits(namespace, container.namespace);
}
