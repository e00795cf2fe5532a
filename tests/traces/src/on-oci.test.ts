import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { onOci, withoutWords } from './on-oci.js';
import type { Trace } from './trace.js';

const referenceOf = (name: string) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../reference/${name}.json`, import.meta.url)), 'utf8')) as Trace;

describe('a trace on the OCI runtime', () => {
  it('reports a missing program in other words, with the same reasons', () => {
    const { events, status } = onOci(referenceOf('command-not-found'));
    expect(events).toContain('Warning Failed spec.containers{c}: Error: <no such program>');
    expect(status.filter((line) => line.includes('StartError: <no such program>')).length).toBeGreaterThan(3);
    const found = '/usr/bin/crun cannot create the container: executable file `/no/such` not found in $PATH: No such file or directory';
    expect(withoutWords({ ...referenceOf('simple'), events: [found] }).events).toEqual(['<no such program>']);
  });

  it('reports that a registry is unavailable', () => {
    const { events, status } = onOci(referenceOf('image-missing'));
    expect(events).toContain('Warning Failed spec.containers{c}: Error: RegistryUnavailable');
    expect(events).toContain('Warning Failed spec.containers{c}: Failed to pull image "localhost:1/none/such:1": <connection refused>');
    expect(status.join('\n')).toContain('c waiting(RegistryUnavailable: <connection refused>)');
    expect(status.join('\n')).not.toContain('ErrImagePull');
    const refused = 'failed to pull image "localhost:1/none/such:1": http://localhost:1/v2/none/such: connect ECONNREFUSED 127.0.0.1:1';
    const found = [
      `Failed to pull image "localhost:1/none/such:1": RegistryUnavailable: ${refused}`,
      `RegistryUnavailable: image pull failed for localhost:1/none/such:1 because the registry is unavailable: ${refused})`,
    ];
    expect(withoutWords({ ...referenceOf('simple'), events: found }).events).toEqual([
      'Failed to pull image "localhost:1/none/such:1": <connection refused>',
      'RegistryUnavailable: <connection refused>)',
    ]);
  });

  it('updates the resources of a sandbox, and nothing else differs', () => {
    const reference = referenceOf('resize');
    const updates = ({ calls }: Trace) => calls.filter(({ call }) => call === 'updatePodSandboxResources').map(({ fails }) => fails);
    expect([updates(reference), updates(onOci(reference))].map((each) => [...new Set(each)])).toEqual([[true], [undefined]]);
    const { events, ...hooks } = referenceOf('hooks');
    expect(onOci(referenceOf('hooks'))).toEqual({ ...hooks, events: events.toSorted() });
  });
});
