import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { cgroupPaths, cgroupRootOf, removeEmptyCgroup } from '../support/agent/cgroup-roots.js';
import { cniPluginDir, makeTestPodNetwork, nothingLeft } from '../support/cni/test-pod-network.js';
import { buildBusyboxImage } from '../support/containerd/busybox-image.js';
import { listIfThere } from '../support/if-there.js';
import { bundleAgent, killOne, startAgent } from '../support/oci/churned-machine.js';
import type { ChurnSettings, Listed } from '../support/oci/churning-agent.js';
import { missingOciPrograms } from '../support/oci/provide-oci-programs.js';
import { expectedState, stateOnMachine } from '../support/oci/state-on-machine.js';
import { writeUsableCrun } from '../support/oci/usable-crun.js';
import { removeRuntime } from '../support/runtimes/remove-runtime.js';
import { until } from '../support/until.js';

const kills = Number(process.env.NODEAGENT_OCI_KILLS ?? 6);
const podCount = 20;
const maxDelayMs = 1_500;
const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 1_000_000);
const runtimes = ['crun', 'runc'].filter((name) => spawnSync('which', [name]).status === 0);
const runtime = runtimes[seed % runtimes.length] ?? 'crun';

const missing = process.getuid?.() === 0 ? missingOciPrograms() : ['root'];
const isSkipped = missing.length > 0;
if (isSkipped) console.log(`skipped: kills of the OCI runtime, because this machine lacks ${missing.join(', ')}`);

describe.skipIf(isSkipped)(`pods of ${runtime} while agent, conmon and ${runtime} are killed`, () => {
  let cleanUp: (() => Promise<void>) | undefined;
  afterEach(async () => cleanUp?.());

  it(`after ${kills} kills the machine has what the runtime lists, and nothing once all is removed`, {
    timeout: 120_000 + kills * 15_000,
  }, async () => {
    console.log(`seed ${seed}: SIMULATION_SEED=${seed} NODEAGENT_OCI_KILLS=${kills}`);
    const random = seededRandom(seed);
    const network = await makeTestPodNetwork();
    const { work } = network.folders;
    const image = 'localhost/busybox:1';
    const settings: ChurnSettings = {
      work,
      image,
      pluginDir: cniPluginDir,
      runtime: runtime === 'crun' ? writeUsableCrun(work) : runtime,
      archive: buildBusyboxImage(work, image, ['sh']),
      cgroupParent: `/${cgroupRootOf(work)}`,
      pods: podCount,
      seed,
    };
    const program = await bundleAgent(work);
    let agent = await startAgent(program, settings);
    cleanUp = async () => {
      await agent.kill();
      // By a next agent, because CNI plugins remove the rules of a pod only while it has a network namespace.
      const last = await startAgent(program, settings);
      await last.removeAll().catch(() => {});
      await last.kill();
      await removeRuntime({ work, bridge: network.network.bridge });
      network.network.giveBack();
    };
    /** Processes that are killed, and exit files of those that end, end later. */
    async function expectExactly(list: () => Promise<Listed>, when: string): Promise<void> {
      const found = async () => {
        const listed = await list();
        const { rules, leases, attachments } = network.leftovers();
        const ready = listed.sandboxes.filter(({ isReady }) => isReady).length;
        const networks = { leases: leases.length, attachments: attachments.length };
        const present = stateOnMachine(settings, rules, listed);
        return [
          { ...present, ...networks },
          { ...expectedState(listed, present), leases: 2 * ready, attachments: ready },
        ];
      };
      await until(
        when,
        async () => {
          const [present, expected] = await found();
          return JSON.stringify(present) === JSON.stringify(expected);
        },
        5_000,
      ).catch(() => {});
      const [present, expected] = await found();
      expect(present, when).toEqual(expected);
    }

    const killed = { agent: 0, monitor: 0, runtime: 0 };
    while (killed.agent + killed.monitor + killed.runtime < kills) {
      agent.churn();
      await sleep(random() * maxDelayMs);
      const chance = random();
      const victim = chance < 0.4 ? 'agent' : chance < 0.7 ? 'monitor' : 'runtime';
      if (victim === 'agent') {
        await agent.kill();
        agent = await startAgent(program, { ...settings, seed: seed + killed.agent + 1 });
        await expectExactly(() => agent.pause(), `after the restart of the agent ${killed.agent + 1}`);
      } else {
        await until(`a ${victim} to kill`, async () => killOne(victim, settings, random));
      }
      killed[victim]++;
    }
    const { calls } = await agent.pause();
    await expectExactly(() => agent.pause(), 'in the end');
    console.log(`killed ${JSON.stringify(killed)}; of the last agent's calls ${calls.succeeded} succeeded, ${calls.failed} failed`);
    expect(await agent.removeAll()).toMatchObject({ sandboxes: [], containers: [] });
    await expectExactly(() => agent.pause(), 'after the removal of all');
    await agent.end();
    expect(network.leftovers()).toEqual(nothingLeft);
    for (const path of cgroupPaths(settings.cgroupParent)) {
      removeEmptyCgroup(path);
      expect(listIfThere(path)).toEqual([]);
    }
  });
});
