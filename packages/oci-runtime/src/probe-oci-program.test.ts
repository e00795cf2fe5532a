import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openImageStore } from '@nodeagent/image-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probeOciProgram } from './probe-oci-program.js';
import { canRunContainers, createTestMachine, type TestMachine } from './test-machine.js';

describe.runIf(canRunContainers)('the probe of an OCI runtime', () => {
  let machine: TestMachine;
  beforeEach(() => {
    machine = createTestMachine();
  });
  afterEach(() => {
    expect(existsSync(join(machine.folder, 'probe'))).toBe(false);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(machine.folder);
    machine.remove();
  });

  const probe = (path: string) => probeOciProgram(path, join(machine.folder, 'probe'), openImageStore);
  const program = (script: string) => {
    const path = join(machine.folder, 'program');
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  };

  it('runs a container', async () => {
    const path = machine.options.runtime ?? '';
    expect(await probe(path)).toEqual({ path, title: expect.stringMatching(/^crun \d/) });
  });

  it('reports the reason of a runtime that refuses the machine', async () => {
    const path = program(
      'case "$*" in *--version) echo "crun version 9.9+x" ;; *) echo "2026-01-01T00:00:00Z: not here" >&2; exit 1 ;; esac',
    );
    expect(await probe(path)).toEqual({ path, title: 'crun 9.9', problem: 'not here' });
  });

  it('reports a program that is no OCI runtime, or not there', async () => {
    expect(await probe(program('exit 3'))).toMatchObject({ problem: 'exit status 3' });
    expect(await probe('/nonexistent')).toMatchObject({ title: '/nonexistent', problem: expect.stringContaining('ENOENT') });
  });
});
