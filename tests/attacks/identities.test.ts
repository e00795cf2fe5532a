import type { Pod, PodSpec, SecurityContext } from '@nodeagent/api';
import type { ContainerConfig, CreateContainerRequest } from '@nodeagent/cri-api';
import { describe, expect, it } from 'vitest';
import { type MemoryAgent, startMemoryAgent } from './memory-agent.js';

const attackMs = 60_000;

const podOf = (name: string, securityContext: object, spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { containers: [{ name: 'c', image: `${name}:1`, securityContext: securityContext as SecurityContext }], ...spec },
});

/** What the agent asked the runtime to create. */
const created = ({ memory }: MemoryAgent): ContainerConfig[] =>
  memory.calls
    .filter(({ method }) => method === 'createContainer')
    .map(({ request }) => (request as CreateContainerRequest).config as ContainerConfig);

describe('runAsNonRoot', () => {
  it('starts no container whose image runs, or may run, as root, be the user a number or a name', async () => {
    const users: Record<string, { uid?: number; username?: string }> = {
      none: {},
      zero: { uid: 0 },
      root: { username: 'root' },
      app: { username: 'app' },
      'zero-as-name': { username: '0' },
      'zeros-as-name': { username: '00' },
      'with-group-as-name': { username: '0:0' },
      'number-as-name': { username: '1000' },
      'zero-in-32-bits': { uid: 2 ** 32 },
      'zero-in-32-bits-of-33': { uid: 2 ** 33 },
      'zero-in-32-bits-of-a-negative': { uid: -(2 ** 32) },
    };
    const agent = await startMemoryAgent();
    for (const [name, user] of Object.entries(users)) agent.memory.scriptImage(`${name}:1`, user);
    agent.setPods(Object.keys(users).map((name) => podOf(name, { runAsNonRoot: true })));
    await agent.clock.advance(attackMs);
    expect(created(agent)).toEqual([]);
    for (const name of Object.keys(users)) {
      expect(agent.waiting(name)).toMatch(
        /^CreateContainerConfigError: container has runAsNonRoot and image (will run as root|has non-numeric)/,
      );
    }
  });

  it('starts no container whose own spec sets root, in the container or in the pod', async () => {
    const agent = await startMemoryAgent();
    const pods = [
      podOf('own', { runAsNonRoot: true, runAsUser: 0 }),
      podOf('negative', { runAsNonRoot: true, runAsUser: -0 }),
      podOf('wide', { runAsNonRoot: true, runAsUser: 2 ** 32 }),
      podOf('of-pod', {}, { securityContext: { runAsNonRoot: true, runAsUser: 0 } }),
      podOf('own-before-that-of-the-pod', { runAsUser: 0 }, { securityContext: { runAsNonRoot: true, runAsUser: 1000 } }),
      podOf('null', { runAsUser: null }, { securityContext: { runAsNonRoot: true, runAsUser: null } as never }),
    ];
    agent.setPods(pods);
    await agent.clock.advance(attackMs);
    expect(created(agent)).toEqual([]);
    const reasons = pods.map(({ metadata }) => agent.waiting(metadata?.name ?? '')?.replace(/ \(pod: .*/, ''));
    expect(new Set(reasons)).toEqual(
      new Set([
        "CreateContainerConfigError: container's runAsUser breaks non-root policy",
        'CreateContainerConfigError: container has runAsNonRoot and image will run as root',
      ]),
    );
  });

  it('gives each attempt of a container the user of its image, and none root after the image changed (CVE-2019-11245)', async () => {
    const agent = await startMemoryAgent();
    agent.memory.scriptImage('app:1', { uid: 1000 });
    agent.memory.script('c', { exit: { afterMs: 1_000, code: 1 } });
    const app = podOf('app', { runAsNonRoot: true });
    const [container] = app.spec?.containers ?? [];
    agent.setPods([{ ...app, spec: { containers: [{ ...container, name: 'c', imagePullPolicy: 'Always' }] } }]);
    await agent.clock.advance(attackMs);
    const before = created(agent);
    expect(before.length).toBeGreaterThan(2);
    expect(new Set(before.map(({ linux }) => linux?.securityContext?.runAsUser?.value))).toEqual(new Set([1000n]));

    agent.memory.scriptImage('app:1', { uid: 0 });
    await agent.clock.advance(attackMs);
    expect(created(agent)).toEqual(before);
    expect(agent.waiting('app')).toMatch(/^CreateContainerConfigError: container has runAsNonRoot and image will run as root/);
  });
});

describe('a profile of the node (CVE-2023-2431)', () => {
  const seccomp = (localhostProfile: unknown) => ({ seccompProfile: { type: 'Localhost', localhostProfile } });
  const appArmor = (localhostProfile: unknown) => ({ appArmorProfile: { type: 'Localhost', localhostProfile } });

  it('without a name, or with one that leads out of the folder of seccomp profiles, starts no container', async () => {
    const agent = await startMemoryAgent();
    const contexts = [
      ...[undefined, null, '', '/etc/passwd', '..', '../profile.json', 'a/../../profile.json', '//etc/passwd'].map(seccomp),
      ...[undefined, null, ''].map(appArmor),
    ];
    const pods = [
      ...contexts.map((context, index) => podOf(`own-${index}`, context)),
      ...contexts.map((context, index) => podOf(`of-pod-${index}`, {}, { securityContext: context as never })),
    ];
    agent.setPods(pods);
    await agent.clock.advance(attackMs);
    expect(created(agent)).toEqual([]);
    for (const { metadata } of pods) expect(agent.waiting(metadata?.name ?? '')).toMatch(/^CreateContainerConfigError: .*profile/i);
  });

  it('that exists is passed on, whatever characters its name has', async () => {
    const agent = await startMemoryAgent();
    const names = ['profile.json', '..profile', 'a/b', '$(touch x)', '-o', 'a b'];
    agent.setPods(names.map((name, index) => podOf(`p${index}`, { ...seccomp(name), ...appArmor(name) })));
    await agent.clock.advance(attackMs);
    const contexts = created(agent).map(({ linux }) => linux?.securityContext);
    expect(contexts.map((context) => context?.seccomp).sort()).toEqual(
      names.map((name) => ({ profileType: 'Localhost', localhostRef: `/var/lib/nodeagent/seccomp/${name}` })).sort(),
    );
    expect(new Set(contexts.map((context) => context?.apparmor?.localhostRef))).toEqual(new Set(names));
  });
});
