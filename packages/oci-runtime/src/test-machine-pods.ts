import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OciRuntime, OciRuntimeOptions } from './oci-runtime.js';
import { createTestMachine, type TestMachine } from './test-machine.js';
import { createTestPods, type TestPods } from './test-pods.js';

/** The pods of the current test. */
export interface MachinePods extends TestPods {
  readonly machine: TestMachine;
  /** The runtime of now: another one after `restart`. */
  readonly oci: OciRuntime;
  /** Another runtime adopts the pods. Default options: those of the test's first one. */
  restart(options?: Partial<OciRuntimeOptions>): Promise<void>;
}

/** Those of vitest, on which only the files of tests depend. */
type TestHooks = Record<'beforeEach' | 'afterEach', (step: () => Promise<void>) => void>;

/**
 * Before each test creates a machine with a started runtime; after it removes all pods, of which nothing may be left.
 *
 * @param program - the default OCI runtime
 */
export function useMachinePods(
  { beforeEach, afterEach }: TestHooks,
  options: (machine: TestMachine) => Partial<OciRuntimeOptions> = () => ({}),
  program?: string,
): MachinePods {
  let machine: TestMachine;
  let oci: OciRuntime;
  let first: Partial<OciRuntimeOptions>;
  beforeEach(async () => {
    machine = createTestMachine(program);
    first = options(machine);
    oci = machine.create(first);
    await oci.start();
  });
  afterEach(async () => {
    const { items } = await oci.runtime.listPodSandbox({});
    for (const { id } of items) await oci.runtime.removePodSandbox({ podSandboxId: id });
    await oci.stop();
    assert.ok(!readFileSync('/proc/self/mountinfo', 'utf8').includes(machine.folder), `nothing is mounted below ${machine.folder}`);
    const runtimes = join(machine.folder, 'state/runtimes');
    const others = existsSync(runtimes) ? readdirSync(runtimes).map((name) => join(runtimes, name)) : [];
    for (const folder of [join(machine.folder, 'state/runtime'), ...others]) assert.deepEqual(readdirSync(folder), []);
    machine.remove();
  });
  const pods = createTestPods(
    () => machine,
    () => oci,
  );
  return {
    ...pods,
    get machine() {
      return machine;
    },
    get oci() {
      return oci;
    },
    async restart(more = first) {
      await oci.stop();
      oci = machine.create(more);
      await oci.start();
    },
  };
}
