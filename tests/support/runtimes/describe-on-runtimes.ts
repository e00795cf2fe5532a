import { describe } from 'vitest';
import { startContainerd } from '../containerd/containerd.js';
import { describeOnContainerd, skipped } from '../containerd/describe-on-containerd.js';
import type { ContainerdBinaries } from '../containerd/provide-containerd.js';
import { startOciRuntime } from '../oci/oci-runtime.js';
import { missingOciPrograms } from '../oci/provide-oci-programs.js';
import type { TestRuntime } from './private-runtime.js';

interface Choice {
  /** Whether each run has the suite on the OCI runtime, not only those with NODEAGENT_E2E_OCI=all. Default false. */
  alwaysOnOci?: boolean;
}

type Suite = (runtime: TestRuntime) => void;
type Series = ContainerdBinaries['series'];

/** A suite on a real containerd, the first of these series that is installed, and on the OCI runtime of nodeagent. */
export function describeOnRuntimes(what: string, series: readonly Series[], suite: Suite, choice: Choice = {}): void {
  describeOnSeries(what, series, suite);
  describeOnOci(what, suite, choice);
}

/** A suite on containerd 2, with NODEAGENT_E2E_CONTAINERD=all on the other series too, and on the OCI runtime of nodeagent. */
export function describeOnEachRuntime(what: string, suite: Suite, choice: Choice = {}): void {
  const all = process.env.NODEAGENT_E2E_CONTAINERD === 'all';
  for (const series of all ? (['1.6', '2'] as const) : (['2'] as const)) describeOnSeries(what, [series], suite);
  describeOnOci(what, suite, choice);
}

/** A suite on a real containerd, the first of these series that is installed. */
export const describeOnSeries = (what: string, series: readonly Series[], suite: Suite): void =>
  describeOnContainerd(what, series, (binaries) =>
    suite({ name: `containerd ${binaries.series}`, start: (options) => startContainerd(binaries, options) }),
  );

/** A suite on the OCI runtime of nodeagent. Without its programs, or without root, it is skipped with the reason. */
export function describeOnOci(what: string, suite: Suite, { alwaysOnOci = false }: Choice = {}): void {
  if (!alwaysOnOci && process.env.NODEAGENT_E2E_OCI !== 'all') return;
  const name = `${what} on the OCI runtime`;
  const missing = missingOciPrograms();
  if (process.getuid?.() !== 0) skipped(name, 'it needs root');
  else if (missing.length > 0)
    skipped(name, `${missing.join(', ')} is not installed: NODEAGENT_E2E=required npm test installs it on Debian`);
  else describe(name, () => suite({ name: 'oci', start: startOciRuntime }));
}
