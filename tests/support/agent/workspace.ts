import { cpSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listIfThere, readIfThere } from '../if-there.js';
import { removeFolder } from '../remove-folder.js';

export const examplePods = fileURLToPath(new URL('../../../examples/pods', import.meta.url));

/** Folders of one test: manifests, the agent's root, and room for files that containers write. */
export interface Workspace {
  readonly dir: string;
  readonly manifests: string;
  readonly root: string;
  /** Flags of `nodeagent run` for these folders, on the process runtime. */
  readonly flags: string[];
  write(manifest: string, text: string): void;
  delete(manifest: string): void;
  useExamplePods(): void;
  /** Text of a file that containers write; empty if there is none. */
  read(file: string): string;
  /** Processes of containers whose output the embedded runtime of this workspace reads. */
  containerProcesses(): number[];
  /** Folders of pods below the root, those of logs among them. */
  podFolders(): string[];
  /** Kills processes of containers, and removes the mounts and the folder. */
  remove(): void;
}

export function createWorkspace(nodeName = 'e2e'): Workspace {
  const dir = mkdtempSync(join(tmpdir(), 'nodeagent-e2e-'));
  const manifests = join(dir, 'manifests');
  const root = join(dir, 'root');
  mkdirSync(manifests);
  const containerProcesses = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && [1, 2].some((fd) => linkOf(`/proc/${name}/fd/${fd}`).startsWith(`${dir}/`)))
      .map(Number);
  return {
    dir,
    manifests,
    root,
    flags: [
      ...['--runtime-endpoint', 'process', '--manifests', manifests, '--root-dir', root],
      ...['--pod-logs-dir', join(root, 'logs'), '--node-name', nodeName],
    ],
    write: (manifest, text) => writeFileSync(join(manifests, manifest), text),
    delete: (manifest) => rmSync(join(manifests, manifest)),
    useExamplePods: () => cpSync(examplePods, manifests, { recursive: true }),
    read: (file) => readIfThere(join(dir, file)),
    containerProcesses,
    podFolders: () => ['pods', 'logs'].flatMap((folder) => listIfThere(join(root, folder))),
    remove() {
      for (const pid of containerProcesses()) process.kill(pid, 'SIGKILL');
      removeFolder(dir);
    },
  };
}

/** A pod of one container on the embedded runtime; the command is a shell script. */
export function shellPod(name: string, script: string, spec = ''): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  terminationGracePeriodSeconds: 5
${spec}  containers:
    - name: main
      image: host:1
      command: [sh, -c, ${JSON.stringify(script)}]
`;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
