import { expect, it } from 'vitest';
import { deriveTrace } from './derive.js';

it('takes the changing calls, the events and the statuses of a recording', () => {
  const image = `sha256:${'0'.repeat(64)}`;
  const trace = deriveTrace(
    [
      { at: 1, cri: 'PodSandboxStatus', req: { pod_sandbox_id: '<sandbox1>' } },
      {
        at: 1,
        cri: 'CreateContainer',
        req: { pod_sandbox_id: '<sandbox1>', sandbox_config: {}, config: { image: { image }, annotations: { a_b: 'x', 'A_B.c': 'y' } } },
      },
      { at: 1, cri: 'StartContainer', req: { container_id: 'c' }, err: 'no' },
      { at: 1, api: 'create events', body: { type: 'Normal', reason: 'Killing', message: 'in tr-x', fieldPath: 'spec.containers{c}' } },
      { at: 1, api: 'patch events', body: { message: 'again' } },
      { at: 1, api: 'patch pods/status', after: { phase: 'Running', resources: { limits: { memory: '9007199254740988Ki' } } } },
    ],
    'tr-x',
  );
  expect(trace).toEqual({
    calls: [
      {
        call: 'createContainer',
        request: { config: { annotations: { aB: 'x', 'A_B.c': 'y' }, image: { image: '<image id>' } }, podSandboxId: '<sandbox1>' },
      },
      { call: 'startContainer', request: { containerId: 'c' }, fails: true },
    ],
    removals: { early: [], late: [], kept: ['<container1>'] },
    cutShort: 0,
    events: ['Normal Killing spec.containers{c}: in <namespace>'],
    status: ['Running  0; resources {} {}'],
    writes: { status: 1, events: 2 },
  });
});
