import type { Pod, Random } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { ContainerBehaviour, CriMethod, CriRequest, Fault } from '@nodeagent/memory-runtime';
import { buildPod, seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestAgent, type TestAgent } from './test-agent.js';

const steps = 60;
const methods: CriMethod[] = [
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'podSandboxStatus',
  'listPodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'listContainers',
  'containerStatus',
  'imageStatus',
  'pullImage',
  'status',
];

const pick = <T>(random: Random, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;

function randomPod(random: Random, name: string, incarnation: number): Pod {
  const image = () => `app:${Math.floor(random() * 3)}`;
  return buildPod({
    name,
    uid: `${name}-${incarnation}`,
    restartPolicy: pick(random, ['Always', 'Always', 'OnFailure', 'Never']),
    terminationGracePeriodSeconds: Math.floor(random() * 40),
    containers: Array.from({ length: 1 + Math.floor(random() * 2) }, image),
    ...(random() < 0.3 && {
      initContainers: [image(), ...(random() < 0.5 ? [{ name: 'sidecar', restartPolicy: 'Always' as const }] : [])],
    }),
  });
}

function randomBehaviour(random: Random): ContainerBehaviour {
  return pick<ContainerBehaviour>(random, [
    {},
    {},
    {},
    { exit: { afterMs: random() * 60_000, code: 0 } },
    { exit: { afterMs: random() * 60_000, code: 1 } },
    { onStop: 'ignore' },
    { onStop: { afterMs: random() * 20_000, code: 0 } },
    { startMs: random() * 5_000 },
    { startError: 'no such file or directory' },
  ]);
}

function randomFault(random: Random): Fault {
  const times = 1 + Math.floor(random() * 4);
  const method = pick(random, methods);
  return pick<Fault>(random, [
    { method, times, error: 'CRI_UNKNOWN' },
    { method, times: 1, hang: true },
    { method, times, dropAfter: true },
    { method, times, delayMs: random() * 30_000 },
  ]);
}

/** Applies one random event to the node. */
function applyRandomEvent(random: Random, node: TestAgent, wanted: Map<string, Pod>, incarnation: number): void {
  const name = `p${Math.floor(random() * 8)}`;
  const known = wanted.get(name);
  const event = random();
  if (event < 0.35) wanted.set(name, randomPod(random, name, incarnation));
  else if (event < 0.5) wanted.delete(name);
  else if (event < 0.6 && known) {
    const containers = known.spec?.containers.map((container) => ({ ...container, image: `app:${Math.floor(random() * 3)}` })) ?? [];
    wanted.set(name, { ...known, spec: { ...known.spec, containers } });
  } else if (event < 0.8) node.memory.fault(randomFault(random));
  else if (event < 0.87) {
    node.memory.crash();
    node.clock.setTimeout(node.memory.restart, random() * 90_000);
  } else if (event < 0.9) node.memory.reboot();
  else {
    const running = node.memory.containers().filter(({ state }) => state === 'running');
    if (running.length > 0) node.memory.kill(pick(random, running).id, pick(random, [0, 1, 137]));
  }
  node.source.set([...wanted.values()]);
}

/** The running containers, as `pod/container image`. */
const running = (node: TestAgent) =>
  node.memory
    .containers()
    .filter(({ state }) => state === 'running')
    .map(({ podUid: uid, name, image }) => `${uid}/${name} ${image}`)
    .sort();

/** The containers that must run once no container exits by itself: those of all pods without a terminal phase. */
const desired = (node: TestAgent, pods: Iterable<Pod>) =>
  [...pods]
    .filter((pod) => !/Succeeded|Failed/.test(node.agent.pods().find((view) => podUid(view.pod) === podUid(pod))?.status.phase ?? ''))
    .flatMap((pod) => [
      ...(pod.spec?.initContainers ?? [])
        .filter(({ restartPolicy }) => restartPolicy === 'Always')
        .map((container) => ({ pod, container })),
      ...(pod.spec?.containers ?? []).map((container) => ({ pod, container })),
    ])
    .filter(({ pod }) => !hasLostItsSandbox(node, pod))
    // A completed container restarts only with the policy Always.
    .filter(({ pod, container }) => pod.spec?.restartPolicy === 'Always' || !hasEnded(node, pod, container.name))
    .map(({ pod, container }) => `${podUid(pod)}/${container.name} ${container.image}`)
    .sort();

/** A pod that ran and has the restart policy Never gets no second sandbox, as with a kubelet; not even if its containers had not started. */
function hasLostItsSandbox({ memory }: TestAgent, pod: Pod): boolean {
  const ofPod = ({ podUid: uid }: { podUid: string }) => uid === podUid(pod);
  return (
    pod.spec?.restartPolicy === 'Never' && memory.containers().some(ofPod) && !memory.sandboxes().some((each) => ofPod(each) && each.ready)
  );
}

function hasEnded(node: TestAgent, pod: Pod, name: string): boolean {
  const [newest] = node.memory
    .containers(name)
    .filter((container) => container.podUid === podUid(pod))
    .sort((a, b) => b.attempt - a.attempt);
  return newest?.state === 'exited' && (pod.spec?.restartPolicy === 'Never' || newest.exitCode === 0);
}

function expectNoDoubleStart(node: TestAgent): void {
  const ids = node.memory
    .callsOf('startContainer')
    .filter(({ error }) => error === undefined)
    .map(({ request }) => (request as CriRequest<'startContainer'>).containerId);
  expect(new Set(ids).size).toBe(ids.length);
  const names = running(node).map((line) => line.split(' ')[0]);
  expect(new Set(names).size, `${names}`).toBe(names.length);
}

it.each(Array.from({ length: Number(process.env.TEST_RUNS ?? 4) }, (_, i) => i + 1 + Number(process.env.TEST_SEED ?? 0)))(
  'converges to the desired pods after random events (seed %i, or TEST_SEED=n)',
  async (seed) => {
    const random = seededRandom(seed);
    let node = createTestAgent([], { random: seededRandom(seed + 1_000), images: [], sourceName: pick(random, ['file', 'api']) });
    const wanted = new Map<string, Pod>();
    let faulty = true;
    node.memory.script({}, ({ name }) => {
      const behaviour = faulty ? randomBehaviour(random) : {};
      return name.startsWith('init') ? { exit: { afterMs: random() * 5_000 } } : behaviour;
    });
    await node.agent.start();
    for (let step = 0; step < steps; step++) {
      applyRandomEvent(random, node, wanted, step);
      await node.clock.advance(random() * 20_000);
      expectNoDoubleStart(node);
      if (random() < 0.05) {
        await node.agent.stop();
        node = node.again([...wanted.values()]);
        await node.agent.start();
      }
    }
    faulty = false;
    node.memory.clearFaults();
    node.memory.restart();
    for (const { id, state } of node.memory.containers()) if (state === 'running') node.memory.kill(id, 1);
    // Ten minutes for the longest deadline and grace period, and twice the longest back-off.
    await node.clock.advance(1_800_000);
    expectNoDoubleStart(node);
    expect(running(node)).toEqual(desired(node, wanted.values()));
    expect(node.agent.runtimeErrors()).toEqual([]);

    node.source.set([]);
    await node.clock.advance(300_000);
    expect([running(node), node.memory.containers(), node.memory.sandboxes(), node.agent.pods()]).toEqual([[], [], [], []]);
    expect(await node.podDirs.list()).toEqual([]);
    await node.agent.stop();
    await node.clock.advance(120_000);
    expect(node.clock.pending).toBe(0);
  },
  60_000,
);
