import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compareTrace } from './compare.js';
import type { Trace } from './trace.js';
import { withoutRoot } from './without-root.js';

const dir = fileURLToPath(new URL('../reference', import.meta.url));
const file = join(dir, 'simple.json');
const reference = JSON.parse(readFileSync(file, 'utf8')) as Trace;
const requestsOf = ({ calls }: Trace, method: string) => JSON.stringify(calls.filter(({ call }) => call === method));

describe('an agent without root', () => {
  const expected = withoutRoot(reference, 1000);

  it('creates no cgroups for pods, and runs containers as its user', () => {
    expect(requestsOf(reference, 'runPodSandbox')).toContain('"cgroupParent":"/kubepods/');
    expect(requestsOf(expected, 'runPodSandbox')).not.toContain('cgroupParent');
    expect(requestsOf(reference, 'createContainer')).not.toContain('runAsUser');
    expect(requestsOf(expected, 'createContainer')).toContain('"runAsUser":{"value":"1000"}');
  });

  it('differs from a kubelet in nothing else', () => {
    const back = JSON.stringify(expected.calls).replaceAll(',"runAsUser":{"value":"1000"}', '');
    expect(back).toBe(JSON.stringify(reference.calls).replace(/"cgroupParent":"[^"]*",/g, ''));
    expect({ ...expected, calls: [] }).toEqual({ ...reference, calls: [] });
  });

  it.each(readdirSync(dir))('is compared with that in %s', (name) => {
    const kubelets = JSON.parse(readFileSync(join(dir, name), 'utf8')) as Trace;
    const { early, late, kept } = kubelets.removals;
    const removals = { early, late: [...late, ...kept], kept: [] };
    const comparison = { scenario: name, show: 1, statusesPass: false, expected: (same: Trace) => withoutRoot(same, 1000) };
    expect(compareTrace({ ...withoutRoot(kubelets, 1000), removals }, join(dir, name), comparison).lines).toEqual(['agrees']);
    const createsSandbox = kubelets.calls.some(({ call }) => call === 'runPodSandbox');
    expect(compareTrace({ ...kubelets, removals }, join(dir, name), comparison).agrees).toBe(!createsSandbox);
  });
});
