import type { ContainerConfig, ImageService, PodSandboxConfig, RuntimeService } from '@nodeagent/cri-api';

/** The behaviour of a container of the suite. */
export type ContainerKind =
  /** Runs until its stop signal and then exits at once, with any exit code. */
  | 'runs'
  /** Exits at once with exit code 0. */
  | 'succeeds'
  /** Exits at once with exit code 3. */
  | 'fails'
  /** Ignores the stop signal. */
  | 'ignores-stop';

/** A command for ExecSync in a container of kind `runs`, and the expected result. */
export interface ExpectedExec {
  cmd: string[];
  exitCode: number;
  stdout: string;
}

/** A CRI runtime under test, with its configuration. */
export interface CriSubject {
  runtime: RuntimeService;
  image: ImageService;
  /** A config for a container of that kind: image, command, ...; the suite adds metadata, labels and annotations. */
  container(kind: ContainerKind): ContainerConfig;
  /** Sandbox configuration in addition to metadata, labels and annotations, such as logDirectory and the cgroup parent. Default none. */
  sandbox?: PodSandboxConfig;
  /** The names of a present and of an absent image. */
  images: { present: string; absent: string };
  /** Commands, required for the capability `exec`. `hangs` runs longer than a second. */
  exec?: { answers: ExpectedExec[]; hangs: string[] };
  /** Programs of containers, required for the capability `streaming`. */
  streaming?: {
    /** A command that copies its standard input to its standard output, and exits with code 0 at the end of the input. */
    copies: string[];
    /** A command that sends back what it receives at a TCP port of 127.0.0.1 in the sandbox. `refused` is a port without a server. */
    echoes: { command: string[]; port: number; refused: number };
  };
  /** Waits, or advances a virtual clock. */
  sleep(ms: number): Promise<void>;
  /** Settles as the promise does; with a virtual clock it advances the clock meanwhile. Default: awaits. */
  run?<T>(promise: Promise<T>): Promise<T>;
}

/** Optional parts of the CRI; `without` of the suite's options skips their cases. */
export type CriCapability = 'events' | 'exec' | 'resources' | 'stats' | 'streaming';
