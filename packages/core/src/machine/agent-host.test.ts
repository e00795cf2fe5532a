import { silentLogger } from '@nodeagent/api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryCheckpoints } from '../host/memory-checkpoints.js';
import { memoryHost } from '../host/memory-host.js';
import { createMemoryPodDirs } from '../host/memory-pod-dirs.js';
import type { NodeHost } from '../host/node-host.js';
import { agentHost } from './agent-host.js';

const clock = createVirtualClock();
const hostWith = (host: Partial<NodeHost>) =>
  agentHost({ rootDir: '/nowhere', cri: createMemoryRuntime({ clock }), host, clock, logger: silentLogger });

const ofOwnFiles = ['checkpoints', 'logFiles', 'imageFsStats', 'fileSystems', 'kernelLog', 'loadShutdown'] as const;

describe("an agent's host", () => {
  it('is this machine by default', () => {
    const host = hostWith({});
    for (const name of ofOwnFiles) expect(host[name], name).toBeDefined();
    expect(host.createStats).toBeDefined();
    expect(host.machine.memoryBytes).toBeGreaterThan(0n);
  });

  it("has nothing of this machine's files beside files of the caller, except what the caller adds", () => {
    const imageFsStats = async () => ({ capacityBytes: 1n, availableBytes: 1n });
    const host = hostWith({ files: createMemoryFiles(), imageFsStats });
    for (const name of ofOwnFiles) expect(host[name], name).toBe(name === 'imageFsStats' ? imageFsStats : undefined);
    expect(host.createStats).toBeDefined();
  });

  it('keeps checkpoints of the caller beside files of the caller', () => {
    const checkpoints = createMemoryCheckpoints();
    expect(hostWith({ files: createMemoryFiles(), checkpoints }).checkpoints).toBe(checkpoints);
  });

  it("does not measure pods whose folders are the caller's", () => {
    const host = hostWith({ podDirs: createMemoryPodDirs() });
    expect(host.createStats).toBeUndefined();
    expect(host.checkpoints).toBeDefined();
  });

  it('has only the CPUs and the memory of given facts, whatever this machine has', async () => {
    const { machine } = memoryHost();
    const host = hostWith({ machine });
    expect(await host.machineResources()).toEqual({ cpus: 4, memoryBytes: 8n << 30n, hugePages: [] });
    expect(host.machine).toBe(machine);
  });

  it('is the given one if it is complete', () => {
    const host = memoryHost();
    expect(hostWith(host)).toBe(host);
  });

  it('rejects members that no host has', () => {
    expect(() => hostWith({ podDir: createMemoryPodDirs() } as Partial<NodeHost>)).toThrow(
      expect.objectContaining({
        code: 'InvalidOption',
        message: 'createNodeAgent: unknown option "host.podDir"; did you mean "host.podDirs"?',
        details: { field: 'host.podDir' },
      }),
    );
  });
});
