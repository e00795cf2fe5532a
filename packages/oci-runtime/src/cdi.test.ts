import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canRunContainers, type TestMachine, testRuntimes } from './test-machine.js';
import { useMachinePods } from './test-machine-pods.js';

const specification = (value: string) => ({
  cdiVersion: '0.6.0',
  kind: 'vendor.com/gpu',
  devices: [
    { name: 'gpu0', containerEdits: { env: [`GPU=${value}`], deviceNodes: [{ path: '/dev/gpu0', hostPath: '/dev/null' }] } },
    { name: 'gpu1', containerEdits: { env: ['GPU1=yes'] } },
  ],
  containerEdits: { env: ['DRIVER=1'] },
});

describe.runIf(canRunContainers).each(testRuntimes)('CDI devices of a container on %s', (runtime) => {
  const folderOf = ({ folder }: TestMachine) => join(folder, 'cdi');
  const options = (machine: TestMachine) => {
    mkdirSync(folderOf(machine));
    return { cdiSpecDirs: [folderOf(machine), join(machine.folder, 'missing')] };
  };
  const pods = useMachinePods({ beforeEach, afterEach }, options, runtime);
  const { runSandbox, create, start, exited, logLines } = pods;
  const write = (text: string) => writeFileSync(join(folderOf(pods.machine), 'vendor.json'), text);

  it('have their edits, requested by field and by annotation', async () => {
    write(JSON.stringify(specification('zero')));
    const id = await start(await runSandbox(), 'echo $GPU $GPU1 $DRIVER; echo x > /dev/gpu0 && stat -c %F /dev/gpu0', {
      cdiDevices: [{ name: 'vendor.com/gpu=gpu0' }],
      annotations: { 'cdi.k8s.io/plugin': 'vendor.com/gpu=gpu1' },
    });
    expect(await exited(id)).toMatchObject({ exitCode: 0 });
    expect(logLines()).toEqual(['stdout F zero yes 1', 'stdout F character special file']);
  });

  it('are those of the files at the time of the request', async () => {
    const sandbox = await runSandbox();
    const cdiDevices = [{ name: 'vendor.com/gpu=gpu0' }];
    await expect(create(sandbox, 'true', { cdiDevices })).rejects.toThrow('unresolvable CDI devices vendor.com/gpu=gpu0');
    write('{');
    await expect(create(sandbox, 'true', { cdiDevices })).rejects.toMatchObject({ hint: expect.stringContaining('vendor.json') });
    write(JSON.stringify(specification('first')));
    await exited(await start(sandbox, 'echo $GPU', { cdiDevices }));
    write(JSON.stringify(specification('second')));
    await exited(await start(sandbox, 'echo $GPU', { cdiDevices, metadata: { name: 'main', attempt: 1 } }));
    expect(logLines()).toEqual(['stdout F first', 'stdout F second']);
  });
});
