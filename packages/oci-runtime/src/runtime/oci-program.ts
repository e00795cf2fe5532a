import { killedExitCode, type ProgramResult, programFailed, type RunProgram, runOrThrow } from '../programs.js';

/** What the OCI runtime reports of a container: OCI runtime specification, "State". */
interface OciState {
  status: 'creating' | 'created' | 'running' | 'stopped' | 'paused';
  pid: number;
}

/** The commands of an OCI runtime such as crun or runc. All reject with `CRI_UNKNOWN` and the runtime's message. */
export interface OciProgram {
  /** Path of the program. */
  readonly path: string;
  /** Folder of its state. */
  readonly root: string;
  /** Whether it has systemd create the cgroups of containers. */
  readonly systemdCgroup: boolean;
  /** What `--version` prints. */
  version(): Promise<string>;
  /** What `features` prints; empty for a program without that command. */
  features(): Promise<string>;
  /** Creates and starts a container without a monitor. */
  runDetached(id: string, bundle: string, pidFile: string): Promise<void>;
  /** Starts the process of a created container. */
  start(id: string): Promise<void>;
  /** Sends a signal to the first process. A process that has exited is no error. */
  kill(id: string, signal: string): Promise<void>;
  /** Kills what is left of the container and removes its cgroup. Idempotent. */
  remove(id: string): Promise<void>;
  /** Undefined for a container that the runtime does not know. */
  state(id: string): Promise<OciState | undefined>;
  /** @param file - the resources as JSON, those of the OCI runtime specification */
  update(id: string, file: string): Promise<void>;
  /** Has CRIU write the state of a running container into the folder `images`, and its log into `work`. The container continues. */
  checkpoint(id: string, folders: { images: string; work: string }, timeoutMs: number): Promise<void>;
}

export interface OciProgramOptions extends Pick<OciProgram, 'path' | 'root' | 'systemdCgroup'> {
  run: RunProgram;
}

export function createOciProgram({ path, root, systemdCgroup, run }: OciProgramOptions): OciProgram {
  const args = (...command: string[]) => [`--root=${root}`, ...(systemdCgroup ? ['--systemd-cgroup'] : []), ...command];
  const call = (...command: string[]) => runOrThrow(run, path, args(...command));

  async function state(id: string): Promise<OciState | undefined> {
    const result = await run(path, args('state', id));
    if (result.exitCode !== 0) {
      if (isUnknown(result)) return undefined;
      throw programFailed(path, ['state', id], result);
    }
    const { status, pid }: OciState = JSON.parse(result.stdout);
    return { status, pid };
  }

  return {
    path,
    root,
    systemdCgroup,
    state,
    version: () => runOrThrow(run, path, ['--version']),
    async features() {
      const { exitCode, stdout } = await run(path, ['features']);
      return exitCode === 0 ? stdout : '';
    },
    async runDetached(id, bundle, pidFile) {
      const command = args('run', '--detach', '--bundle', bundle, '--pid-file', pidFile, id);
      await runOrThrow(run, path, command, { leavesProcess: true });
    },
    start: async (id) => void (await call('start', id)),
    async kill(id, signal) {
      const result = await run(path, args('kill', id, signal));
      if (result.exitCode !== 0 && !isUnknown(result) && !isExited(result)) throw programFailed(path, ['kill', id], result);
    },
    async remove(id) {
      const remove = () => run(path, args('delete', '--force', id));
      const first = await remove();
      // One that was killed has done a part.
      const result = first.exitCode === killedExitCode ? await remove() : first;
      if (result.exitCode !== 0 && !isUnknown(result)) throw programFailed(path, ['delete', '--force', id], result);
    },
    update: async (id, file) => void (await call('update', '--resources', file, id)),
    async checkpoint(id, { images, work }, timeoutMs) {
      const options = ['--leave-running', '--file-locks', '--tcp-established', '--image-path', images, '--work-path', work];
      await runOrThrow(run, path, args('checkpoint', ...options, id), { timeoutMs });
    },
  };
}

/** crun: `No such file or directory`; runc: `container does not exist`. */
const isUnknown = ({ stderr }: ProgramResult) => /does not exist|No such file or directory/.test(stderr);

/** crun: `No such process`; runc: `container not running` or `process already finished`. */
const isExited = ({ stderr }: ProgramResult) => /No such process|not running|already finished/.test(stderr);
