import { join } from 'node:path';

/** What conmon monitors. */
export interface MonitorRequest {
  containerId: string;
  /** Path of the OCI runtime's program. */
  runtime: string;
  /** Folder of the OCI runtime's state. */
  runtimeRoot: string;
  /** Folder with the config.json; conmon adds its files: see {@link monitorFiles}. */
  bundle: string;
  /** conmon writes the exit code to the file of the container's name in it. */
  exitDir: string;
  /** Absolute path of the log in the CRI format. */
  logPath: string;
  /** conmon replaces a larger log by an empty one. Default: no limit. */
  maxLogBytes?: number;
  terminal: boolean;
  stdin: boolean;
  /** Whether standard input stays open when the first attached client disconnects. */
  leaveStdinOpen: boolean;
  /** Whether the OCI runtime has systemd create the container's cgroup. */
  systemdCgroup: boolean;
}

/** The arguments of conmon(8) that creates a container. It writes no exit command: the exit file is the event. */
export function conmonArguments(request: MonitorRequest): string[] {
  const { containerId, bundle, logPath, maxLogBytes } = request;
  const files = monitorFiles(bundle);
  return [
    ...['--api-version', '1', '--cid', containerId, '--cuuid', containerId, '--name', containerId],
    ...['--runtime', request.runtime, '--runtime-arg', `--root=${request.runtimeRoot}`],
    ...['--bundle', bundle, '--container-pidfile', files.containerPid, '--conmon-pidfile', files.monitorPid],
    ...['--exit-dir', request.exitDir, '--log-path', `k8s-file:${logPath}`],
    ...(maxLogBytes === undefined ? [] : ['--log-size-max', `${maxLogBytes}`]),
    // Without a copy of the log on the disk at each exit, and with the attach socket in the bundle.
    ...['--no-sync-log', '--full-attach', '--log-level', 'error'],
    ...(request.systemdCgroup ? ['--systemd-cgroup'] : []),
    ...(request.terminal ? ['--terminal'] : []),
    ...(request.stdin ? ['--stdin'] : []),
    ...(request.stdin && request.leaveStdinOpen ? ['--leave-stdin-open'] : []),
  ];
}

/** The files that conmon writes into the bundle. */
export function monitorFiles(bundle: string) {
  return {
    containerPid: join(bundle, 'pidfile'),
    monitorPid: join(bundle, 'conmon.pid'),
    /** Exists once the kernel has killed a process of the container for its memory limit. */
    oom: join(bundle, 'oom'),
    /** A pipe for commands. */
    control: join(bundle, 'ctl'),
    /** A socket for the input and output of the container. */
    attach: join(bundle, 'attach'),
    /** The log of a container whose request has no path for one: clients that attach read it. */
    output: join(bundle, 'output.log'),
  };
}
