import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { sourceAliases, wholeMessages } from '../../vitest.config.js';

/** The suites that take more than 40 s, longest first. */
const longest = [
  ...['cgroups-back-off', 'volumes', 'cgroups', 'cni', 'containerd-1.6', 'containerd-2', 'device-plugins'],
  ...['cluster-pods', 'oci-runtime', 'cgroups-kill', 'two-agents', 'cluster', 'probes', 'certificates', 'volumes-kill'],
];

/** Long suites start first, so that no worker waits for one at the end; vitest starts the others by the size of their files. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.indexOf(basename(moduleId, '.e2e.ts'));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** End-to-end tests: the built command on real runtimes, with real time. */
export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    root: import.meta.dirname,
    include: ['*.e2e.ts'],
    // They need a kubelet, which no package of a distribution has.
    exclude: process.env.NODEAGENT_KUBELET === undefined ? ['replace-kubelet.e2e.ts', 'kubelet-on-oci.e2e.ts'] : [],
    globalSetup: './global-setup.ts',
    // Suites wait for each fact with a limit; this one is for all of a test, on a machine that is five times as slow.
    testTimeout: 300_000,
    hookTimeout: 180_000,
    chaiConfig: wholeMessages,
    // Suites mostly wait, each on a dedicated runtime and network. With three, the start of 110 pods at once has warnings of late answers.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['verbose'],
  },
});
