import type { ContainerConfig, ImageService, PodSandboxConfig, RuntimeService } from '@nodeagent/cri-api';

/** What a container of the suite must do when it runs. */
export type ContainerKind =
  /** Runs until its stop signal and ends at it at once, with whatever exit code. */
  | 'runs'
  /** Ends by itself at once with exit code 0. */
  | 'succeeds'
  /** Ends by itself at once with exit code 3. */
  | 'fails'
  /** Runs on when the stop signal comes. */
  | 'ignores-stop';

/** A command for ExecSync in a container of kind `runs`, and what it must answer. */
export interface ExpectedExec {
  cmd: string[];
  exitCode: number;
  stdout: string;
}

/** A CRI runtime under test, and what the suite must know about it. */
export interface CriSubject {
  runtime: RuntimeService;
  image: ImageService;
  /** A config for a container of that kind: image, command, ...; the suite adds metadata, labels and annotations. */
  container(kind: ContainerKind): ContainerConfig;
  /** What sandboxes need besides metadata, labels and annotations, such as logDirectory and the cgroup parent. Default nothing. */
  sandbox?: PodSandboxConfig;
  /** The name of an image that is present, and of one that is not. */
  images: { present: string; absent: string };
  /** Commands; needed for the capability `exec`. `hangs` runs longer than a second. */
  exec?: { answers: ExpectedExec[]; hangs: string[] };
  /** Lets time pass. */
  sleep(ms: number): Promise<void>;
  /** Settles as the promise does; one on a virtual clock moves it meanwhile. Default: awaits. */
  run?<T>(promise: Promise<T>): Promise<T>;
}

/** The parts of CRI that a runtime may lack; `without` of the suite's options leaves their cases out. */
export type CriCapability = 'events' | 'exec' | 'resources' | 'stats';
