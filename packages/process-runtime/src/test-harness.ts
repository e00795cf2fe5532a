import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@nodeagent/api';
import type { ContainerConfig, ContainerEventResponse, ContainerEventType, ContainerStatus } from '@nodeagent/cri-api';
import { createProcessRuntime, type ProcessRuntime, type ProcessRuntimeOptions } from './process-runtime.js';

/** A started runtime in a temporary folder, for the tests of this package. */
export interface Harness extends ProcessRuntime {
  /** The runtime's state is in `<folder>/state`, logs are in `<folder>/logs`. */
  folder: string;
  sandbox: string;
  /** Creates a container in the sandbox and starts it. */
  run(command: string[], config?: ContainerConfig): Promise<string>;
  create(command: string[], config?: ContainerConfig): Promise<string>;
  status(id: string): Promise<ContainerStatus>;
  /** The status of a container once it has exited. */
  exit(id: string): Promise<ContainerStatus>;
  /** Lines of a container's log file: stream, tag and text. */
  log(id: string): Promise<string[]>;
  /** Resolves when the log file has this many lines. */
  logged(id: string, lines: number): Promise<string[]>;
  exec(id: string, command: string[], timeout?: bigint): Promise<{ stdout: string; stderr: string; exitCode: number }>;
  /** Another runtime in the same folder. */
  again(options?: Partial<ProcessRuntimeOptions>): ProcessRuntime;
  /** Stops all containers and removes the folder. */
  clean(): Promise<void>;
}

export async function startHarness({ clock = systemClock, ...options }: Partial<ProcessRuntimeOptions> = {}): Promise<Harness> {
  const folder = mkdtempSync(join(tmpdir(), 'process-runtime-'));
  const again = (more: Partial<ProcessRuntimeOptions> = {}) =>
    createProcessRuntime({ root: join(folder, 'state'), clock, address: '192.0.2.1', leftoverGraceMs: 200, ...options, ...more });
  const instance = again();
  await instance.start();
  const { runtime } = instance;
  const waitFor = eventWaiter(runtime.getContainerEvents({}));
  const { podSandboxId: sandbox } = await runtime.runPodSandbox({
    config: { metadata: { name: 'p', namespace: 'ns', uid: 'u', attempt: 0 }, logDirectory: join(folder, 'logs') },
  });

  let names = 0;
  const create = async (command: string[], config: ContainerConfig = {}) => {
    const name = `c${names++}`;
    const full = { metadata: { name, attempt: 0 }, image: { image: 'host' }, command, logPath: `${name}/0.log`, ...config };
    return (await runtime.createContainer({ podSandboxId: sandbox, config: full })).containerId;
  };
  const status = async (id: string) => {
    const { status: found } = await runtime.containerStatus({ containerId: id });
    if (found === undefined) throw new Error(`no status of ${id}`);
    return found;
  };
  const log = async (id: string) => readLog((await status(id)).logPath);
  return {
    ...instance,
    folder,
    sandbox,
    create,
    status,
    log,
    again,
    async run(command, config) {
      const id = await create(command, config);
      await runtime.startContainer({ containerId: id });
      return id;
    },
    async exit(id) {
      await waitFor(id, 'CONTAINER_STOPPED_EVENT');
      return status(id);
    },
    async logged(id, lines) {
      const path = (await status(id)).logPath;
      return poll(clock, () => {
        const found = existsSync(path) ? readLog(path) : [];
        return found.length >= lines ? found : undefined;
      });
    },
    async exec(id, cmd, timeout = 0n) {
      const { stdout, stderr, exitCode } = await runtime.execSync({ containerId: id, cmd, timeout });
      return { stdout: Buffer.from(stdout).toString(), stderr: Buffer.from(stderr).toString(), exitCode };
    },
    async clean() {
      await instance.stopAll(0);
      await instance.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Polls until `find` returns a value; bounded by the test's timeout. */
export async function poll<T>(clock: Clock, find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    await clock.sleep(5);
  }
}

/** All items of a stream. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** Whether a process exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function readLog(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [, piece] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z (std(?:out|err) [FP] .*)$/.exec(line) ?? [];
    if (piece === undefined) throw new Error(`not a CRI log line: ${line}`);
    return piece;
  });
}

/** Records events, so that a test can wait for an event before or after it arrives. */
function eventWaiter(stream: AsyncIterable<ContainerEventResponse>): (id: string, type: ContainerEventType) => Promise<void> {
  const seen = new Set<string>();
  const waiting = new Map<string, () => void>();
  void (async () => {
    for await (const { containerId, containerEventType } of stream) {
      const key = `${containerId} ${containerEventType}`;
      seen.add(key);
      waiting.get(key)?.();
    }
  })();
  return (id, type) => {
    const key = `${id} ${type}`;
    if (seen.has(key)) return Promise.resolve();
    return new Promise((resolve) => waiting.set(key, resolve));
  };
}
