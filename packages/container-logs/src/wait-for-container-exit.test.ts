import { NodeAgentError } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { waitForContainerExit } from './wait-for-container-exit.js';

function setUp(answers: (() => string)[]) {
  const clock = createVirtualClock();
  const controller = new AbortController();
  let asked = 0;
  const containerStatus = async () => ({ status: { state: (answers[asked++] ?? (() => 'CONTAINER_EXITED'))() } as never, info: {} });
  const ended = waitForContainerExit({ cri: { containerStatus }, containerId: 'c1', clock, signal: controller.signal });
  return { clock, controller, ended, asked: () => asked };
}

const running = () => 'CONTAINER_RUNNING';

it('polls every second until the container has exited, also while the runtime is unavailable', async () => {
  const away = () => {
    throw new NodeAgentError('CRI_UNAVAILABLE', 'connection refused');
  };
  const { clock, ended, asked } = setUp([running, away, running]);
  await clock.advance(2_999);
  expect(asked()).toBe(3);
  await clock.advance(1);
  await expect(ended).resolves.toBeUndefined();
});

it('rejects with the error of the runtime, and when its signal aborts', async () => {
  const unknown = setUp([
    () => {
      throw new Error('no such container');
    },
  ]);
  await expect(unknown.ended).rejects.toThrow('no such container');
  const aborted = setUp([running, running]);
  const rejected = expect(aborted.ended).rejects.toThrow('enough');
  await aborted.clock.advance(500);
  aborted.controller.abort(new Error('enough'));
  await rejected;
});
