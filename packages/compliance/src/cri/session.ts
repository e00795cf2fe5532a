import assert from 'node:assert/strict';
import type { ContainerConfig, ContainerStatus, PodSandboxConfig, PodSandboxStatus } from '@nodeagent/cri-api';
import type { SuiteCase } from '../suite/suite.js';
import type { ContainerKind, CriCapability, CriSubject } from './subject.js';

/** How long the suite waits for the runtime, in milliseconds. */
const timeoutMs = 5_000;

/** One-line helpers for the calls of a kubelet. */
export interface CriSession extends CriSubject {
  run<T>(promise: Promise<T>): Promise<T>;
  sandboxConfig(name: string, attempt?: number): PodSandboxConfig;
  /** Runs a sandbox; returns its id. */
  runSandbox(name: string, attempt?: number): Promise<string>;
  /** Creates a container named `name` (default: its kind); returns its id. */
  create(podSandboxId: string, kind: ContainerKind, config?: ContainerConfig & { name?: string }): Promise<string>;
  /** Creates and starts one. */
  start(podSandboxId: string, kind: ContainerKind, config?: ContainerConfig & { name?: string }): Promise<string>;
  status(containerId: string): Promise<ContainerStatus>;
  sandboxStatus(podSandboxId: string): Promise<PodSandboxStatus>;
  stop(containerId: string, timeout: bigint): Promise<void>;
  /** Waits for the exit of a container; returns its status. */
  exited(containerId: string): Promise<ContainerStatus>;
  /** Waits until the condition holds; fails after a timeout. */
  eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
}

/** A case of the CRI suite. */
export function criCase(name: string, run: (session: CriSession) => Promise<void>, capability?: CriCapability): SuiteCase<CriSubject> {
  return { name, ...(capability && { capability }), run: (subject) => run(openSession(subject)) };
}

function openSession(subject: CriSubject): CriSession {
  const { runtime } = subject;
  const run: CriSession['run'] = (promise) => subject.run?.(promise) ?? promise;

  const sandboxConfig: CriSession['sandboxConfig'] = (name, attempt = 0) => ({
    ...subject.sandbox,
    metadata: { name, namespace: 'compliance', uid: `uid-${name}`, attempt },
    labels: { suite: 'compliance', pod: name },
    annotations: { 'example.com/note': `the sandbox of ${name}` },
  });
  const runSandbox: CriSession['runSandbox'] = async (name, attempt) =>
    (await run(runtime.runPodSandbox({ config: sandboxConfig(name, attempt) }))).podSandboxId;

  const create: CriSession['create'] = async (podSandboxId, kind, { name = kind, ...config } = {}) => {
    const sandbox = await sandboxStatus(podSandboxId);
    const request = {
      podSandboxId,
      config: {
        ...subject.container(kind),
        metadata: { name, attempt: 0 },
        labels: { suite: 'compliance', container: name },
        annotations: { 'example.com/note': `the container ${name}` },
        logPath: `${name}.log`,
        ...config,
      },
      sandboxConfig: sandboxConfig(sandbox.metadata?.name ?? '', sandbox.metadata?.attempt),
    };
    return (await run(runtime.createContainer(request))).containerId;
  };
  const status = async (containerId: string) => {
    const { status: found } = await run(runtime.containerStatus({ containerId }));
    assert.ok(found, 'ContainerStatus has a status');
    return found;
  };
  const sandboxStatus = async (podSandboxId: string) => {
    const { status: found } = await run(runtime.podSandboxStatus({ podSandboxId }));
    assert.ok(found, 'PodSandboxStatus has a status');
    return found;
  };
  const eventually: CriSession['eventually'] = async (what, condition) => {
    for (let waited = 0; waited < timeoutMs; waited += 20) {
      if (await condition()) return;
      await subject.sleep(20);
    }
    assert.fail(`not within ${timeoutMs} ms: ${what}`);
  };

  return {
    ...subject,
    run,
    sandboxConfig,
    runSandbox,
    create,
    async start(podSandboxId, kind, config) {
      const containerId = await create(podSandboxId, kind, config);
      await run(runtime.startContainer({ containerId }));
      return containerId;
    },
    status,
    sandboxStatus,
    async stop(containerId, timeout) {
      await run(runtime.stopContainer({ containerId, timeout }));
    },
    async exited(containerId) {
      await eventually('the container exits', async () => (await status(containerId)).state === 'CONTAINER_EXITED');
      return status(containerId);
    },
    eventually,
  };
}
