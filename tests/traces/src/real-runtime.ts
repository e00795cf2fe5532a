import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCommand } from '../../support/agent/agent-process.js';
import { startContainerd } from '../../support/containerd/containerd.js';
import { provideContainerd } from '../../support/containerd/provide-containerd.js';
import { startOciRuntime } from '../../support/oci/oci-runtime.js';
import { missingOciPrograms } from '../../support/oci/provide-oci-programs.js';
import type { PrivateRuntime } from '../../support/runtimes/private-runtime.js';
import type { RuntimeKind } from './settings.js';

/** A dedicated container runtime for a run of traces. */
export interface RealRuntime {
  endpoint: string;
  /** What the scenarios name otherwise, as [name on this runtime, name in the scenarios]. */
  names: readonly (readonly [string, string])[];
  close(): Promise<void>;
}

/** Why a machine cannot run the traces on a runtime; undefined if it can. */
export function whyNot(kind: RuntimeKind): string | undefined {
  if (kind === 'embedded') return undefined;
  if (process.getuid?.() !== 0) return 'it needs root';
  if (existsSync('/sys/fs/cgroup/cgroup.controllers')) return 'the references are of cgroup v1, and this machine has cgroup v2';
  if (kind === 'oci') {
    const missing = missingOciPrograms();
    return missing.length > 0 ? `${missing.join(', ')} is not there: apt-get install crun conmon catatonit` : undefined;
  }
  const { found } = provideContainerd(process.env.NODEAGENT_E2E === 'required');
  if (!found.some(({ series }) => series === '2')) return 'containerd 2 is not there: NODEAGENT_E2E=required npm test unpacks it on Debian';
  return undefined;
}

/** Starts a runtime that keeps its files below a folder. */
export async function openRuntime(kind: RuntimeKind, dir: string): Promise<RealRuntime> {
  if (kind === 'embedded') return openEmbedded(dir);
  return withImages(kind === 'oci' ? await startOciRuntime() : await openContainerd());
}

function openContainerd(): Promise<PrivateRuntime> {
  const binaries = provideContainerd(false).found.find(({ series }) => series === '2');
  if (binaries === undefined) throw new Error('containerd 2 is missing');
  return startContainerd(binaries);
}

async function withImages({ addImage, endpoint, cleanup }: PrivateRuntime): Promise<RealRuntime> {
  // Another image, with a different id.
  await addImage('localhost/busybox:2', 1);
  return { endpoint, names: [], close: cleanup };
}

/** What the scenario `hooks` writes. Containers of the embedded runtime share the machine's /tmp, and two runs would write the same file. */
const writtenByHooks = '/tmp/started';

async function openEmbedded(dir: string): Promise<RealRuntime> {
  const socket = join(dir, 'embedded.sock');
  const runtime = startCommand(['runtime', '--type', 'process', '--socket', socket, '--root-dir', join(dir, 'embedded')], fromSources);
  await runtime.line('its socket', ({ msg }) => msg.includes('serving CRI'));
  return {
    endpoint: `unix://${socket}`,
    names: [
      ['localhost/host', 'localhost/busybox'],
      [join(dir, 'started'), writtenByHooks],
    ],
    close: async () => void (await runtime.end('SIGTERM')),
  };
}

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Runs the command from the sources: traces need no build. */
export const fromSources = {
  program: ['--import', import.meta.resolve('tsx'), file('packages/cli/src/bin.ts')],
  env: { ...process.env, TSX_TSCONFIG_PATH: file('tsconfig.json') },
};
