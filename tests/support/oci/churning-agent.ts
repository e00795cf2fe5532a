// An agent that is killed: runs, restarts, enters and removes pods on the OCI runtime. The lines of its standard input command it; it answers
// each, and its start, by a line of JSON with what it lists. Its argument is a ChurnSettings.
import { appendFileSync, createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createNodeCni } from '@nodeagent/cni/node';
import type { ContainerConfig, ContainerState, NamespaceOption } from '@nodeagent/cri-api';
import { type OciImageStore, openImageStore } from '@nodeagent/image-store';
import { createOciRuntime } from '@nodeagent/oci-runtime';
import { seededRandom } from '@nodeagent/testing';

/** Where the agent works, and with what. */
export interface ChurnSettings {
  /** Its folder; those of the network are that of `makeTestPodNetwork`. */
  work: string;
  pluginDir: string;
  /** Path of crun or runc. */
  runtime: string;
  /** An archive with the image, and its name. */
  archive: string;
  image: string;
  cgroupParent: string;
  pods: number;
  seed: number;
}

/** What the runtime lists. */
export interface Listed {
  /** IDs of sandboxes by what they have. */
  sandboxes: { id: string; uid: string; isReady: boolean; sharesProcesses: boolean; hasHostPort: boolean }[];
  containers: { id: string; state: ContainerState }[];
  /** Calls that succeeded and failed so far. */
  calls: { succeeded: number; failed: number };
}

const settings = JSON.parse(process.argv[2] ?? '') as ChurnSettings;
const { work, image, pods, cgroupParent } = settings;
const random = seededRandom(settings.seed);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const workers = 4;

let images: OciImageStore | undefined;
const { start, stop, runtime } = createOciRuntime({
  root: join(work, 'root'),
  runtime: settings.runtime,
  cni: createNodeCni({
    configDir: join(work, 'net.d'),
    pluginDirs: [join(work, 'plugins'), settings.pluginDir],
    cacheDir: join(work, 'cache'),
  }),
  images: async (where) => (images = await openImageStore(where)),
});

const calls = { succeeded: 0, failed: 0 };
/** IDs of sandboxes that a worker has. */
const busy = new Set<string>();
let isChurning = false;
let created = 0;

async function listed(): Promise<Listed> {
  const { containers } = await runtime.listContainers({});
  const { items } = await runtime.listPodSandbox({});
  return {
    sandboxes: items.map(({ id, metadata, state, labels }) => ({
      id,
      uid: metadata?.uid ?? '',
      isReady: state === 'SANDBOX_READY',
      sharesProcesses: labels?.pid === 'POD',
      hasHostPort: labels?.port !== undefined,
    })),
    containers: containers.map(({ id, state }) => ({ id, state })),
    calls,
  };
}

/** A third shares its process namespace, a third has a user namespace, a third a port of the machine. */
async function runPod(): Promise<void> {
  const uid = `${process.pid}-${created++}`;
  const [pid, hasUsers, hasPort] = [pick(['POD', 'CONTAINER', 'CONTAINER'] as const), random() < 0.3, random() < 0.3];
  const ids = [{ hostId: 300_000, containerId: 0, length: 65_536 }];
  const namespaceOptions: NamespaceOption = { pid, ...(hasUsers && { usernsOptions: { mode: 'POD', uids: ids, gids: ids } }) };
  const port = 20_000 + Math.floor(random() * 10_000);
  const { podSandboxId } = await runtime.runPodSandbox({
    config: {
      metadata: { name: `pod-${uid}`, namespace: 'default', uid, attempt: 0 },
      hostname: 'web',
      logDirectory: join(work, 'logs', uid),
      labels: { pid, ...(hasPort && { port: `${port}` }) },
      linux: { cgroupParent: `${cgroupParent}/${uid}`, securityContext: { namespaceOptions } },
      ...(hasPort && { portMappings: [{ containerPort: 80, hostPort: port }] }),
    },
  });
  busy.add(podSandboxId);
  try {
    for (const name of random() < 0.3 ? ['main', 'side'] : ['main']) await startContainer(podSandboxId, namespaceOptions, name, 0);
  } finally {
    busy.delete(podSandboxId);
  }
}

async function startContainer(podSandboxId: string, namespaceOptions: NamespaceOption, name: string, attempt: number): Promise<void> {
  const script = pick(['sleep 1000', 'trap "exit 0" TERM; sleep 1000 & wait', 'exit 3', 'sleep 0.3; exit 1']);
  const config: ContainerConfig = {
    metadata: { name, attempt },
    image: { image: random() < 0.8 ? image : 'host' },
    command: ['sh', '-c', script],
    envs: [{ key: 'NODEAGENT_TEST_WORK', value: Buffer.from(work) }],
    logPath: `${name}/${attempt}.log`,
    mounts: random() < 0.3 ? [{ containerPath: '/volume', image: { image }, readonly: true }] : [],
    linux: { securityContext: { namespaceOptions } },
  };
  const { containerId } = await runtime.createContainer({ podSandboxId, config });
  await runtime.startContainer({ containerId });
}

/** Stops sandboxes that are not ready, as the kubelet does: a call for one of them may have failed. */
async function stopUnready(): Promise<void> {
  const { items } = await runtime.listPodSandbox({ filter: { state: { state: 'SANDBOX_NOTREADY' } } });
  for (const { id } of items) await runtime.stopPodSandbox({ podSandboxId: id });
}

/** Enters or restarts a container, or removes the pod. */
async function changePod(podSandboxId: string): Promise<void> {
  const [container] = (await runtime.listContainers({ filter: { podSandboxId } })).containers;
  const chance = random();
  if (container === undefined || chance < 0.35) {
    if (random() < 0.5) await runtime.stopPodSandbox({ podSandboxId });
    await runtime.removePodSandbox({ podSandboxId });
  } else if (container.state === 'CONTAINER_EXITED' || chance < 0.6) {
    const { id: containerId, metadata } = container;
    await runtime.stopContainer({ containerId, timeout: BigInt(Math.floor(random() * 2)) });
    await runtime.removeContainer({ containerId });
    const { status } = await runtime.podSandboxStatus({ podSandboxId });
    const options = status?.linux?.namespaces?.options ?? {};
    await startContainer(podSandboxId, options, metadata?.name ?? 'main', (metadata?.attempt ?? 0) + 1);
  } else {
    await runtime.execSync({ containerId: container.id, cmd: ['echo', 'hello'], timeout: 10n });
  }
}

async function churn(): Promise<void> {
  while (isChurning) {
    const { items } = await runtime.listPodSandbox({});
    const free = items.filter(({ id }) => !busy.has(id)).map(({ id }) => id);
    const chosen = items.length + (workers - busy.size) < pods && random() < 0.6 ? undefined : pick(free);
    if (chosen !== undefined) busy.add(chosen);
    try {
      await (chosen === undefined ? runPod() : changePod(chosen));
      calls.succeeded++;
    } catch (error) {
      calls.failed++;
      appendFileSync(join(work, 'errors.log'), `${new Date().toISOString()} ${process.pid} ${error}\n`);
    } finally {
      if (chosen !== undefined) busy.delete(chosen);
    }
  }
}

async function removeAll(): Promise<void> {
  const { items } = await runtime.listPodSandbox({});
  for (const { id } of items) await runtime.removePodSandbox({ podSandboxId: id });
}

const answer = async () => console.log(JSON.stringify(await listed()));
let churned: Promise<unknown> = Promise.resolve();
await start();
if (images?.list().length === 0) await images.import(createReadStream(settings.archive));
await answer();
for await (const command of createInterface({ input: process.stdin })) {
  if (command === 'churn') {
    if (isChurning) continue;
    isChurning = true;
    churned = Promise.all(Array.from({ length: workers }, churn));
    continue;
  }
  isChurning = false;
  await churned;
  await stopUnready();
  if (command === 'remove') await removeAll();
  await answer();
}
await stop();
