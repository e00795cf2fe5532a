import type { ContainerEventResponse, StreamContainersResponse } from '@nodeagent/cri-api';
import { describe, expect, it } from 'vitest';
import { collect, connected } from '../test/temp-socket.js';
import { criError } from './errors.js';

const event = (containerId: string): ContainerEventResponse => ({
  ...{ containerId, containerEventType: 'CONTAINER_STARTED_EVENT', createdAt: 1n, containersStatuses: [] },
});

describe('a stream', () => {
  it('delivers messages in order and then its error', async () => {
    const client = await connected({
      runtime: {
        async *getContainerEvents() {
          for (let i = 0; i < 50; i++) yield event(`${i}`);
          throw criError('CRI_OUT_OF_RANGE', 'too late');
        },
      },
    });
    const seen: string[] = [];
    const read = async () => {
      for await (const { containerId } of client.runtime.getContainerEvents({})) seen.push(containerId);
    };
    await expect(read()).rejects.toMatchObject({ code: 'CRI_OUT_OF_RANGE', message: 'too late' });
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => `${i}`));
  });

  it('cancels the call when the loop ends early, and can be iterated again', async () => {
    const ended: string[] = [];
    const client = await connected({
      runtime: {
        async *getContainerEvents(_, options) {
          try {
            yield event('a');
            await new Promise((_resolve, reject) => options?.signal?.addEventListener('abort', () => reject(options.signal?.reason)));
          } finally {
            ended.push('runtime');
          }
        },
      },
    });
    const events = client.runtime.getContainerEvents({});
    for await (const { containerId } of events) {
      expect(containerId).toBe('a');
      break;
    }
    await expect.poll(() => ended).toHaveLength(1);
    for await (const _ of events) break;
    await expect.poll(() => ended).toHaveLength(2);
  });

  it('can be returned while next() is pending', async () => {
    const client = await connected({
      runtime: {
        async *getContainerEvents(_, options) {
          yield event('a');
          await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve));
        },
      },
    });
    const iterator = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('applies backpressure to the runtime for a slow reader', async () => {
    let produced = 0;
    let finished = false;
    const chunk: StreamContainersResponse = { containers: [] };
    const container = {
      ...{ id: 'x'.repeat(64 * 1024), podSandboxId: '', imageRef: '', state: 'CONTAINER_RUNNING' as const, createdAt: 0n },
    };
    chunk.containers.push({ ...container, labels: {}, annotations: {}, imageId: '' });
    const client = await connected({
      runtime: {
        async *streamContainers() {
          try {
            while (true) {
              produced++;
              yield chunk;
            }
          } finally {
            finished = true;
          }
        },
      },
    });
    const iterator = client.runtime.streamContainers({})[Symbol.asyncIterator]();
    await iterator.next();
    let before = -1;
    await expect
      .poll(
        () => {
          const still = produced === before;
          before = produced;
          return still;
        },
        { interval: 25 },
      )
      .toBe(true);
    expect(produced).toBeLessThan(200);
    for (let i = 0; i < 300; i++) await iterator.next();
    expect(produced).toBeGreaterThan(300);
    await iterator.return?.();
    await expect.poll(() => finished).toBe(true);
  });

  it('has no default deadline, but observes a given one', async () => {
    const client = await connected(
      {
        runtime: {
          async *getContainerEvents(_, options) {
            await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve));
            yield event('never');
          },
        },
      },
      { timeoutMs: 10 },
    );
    const iterator = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    const first = iterator.next().then(() => 'answered');
    await expect(collect(client.runtime.getContainerEvents({}, { timeoutMs: 40 }))).rejects.toMatchObject({
      code: 'CRI_DEADLINE_EXCEEDED',
    });
    expect(await Promise.race([first, Promise.resolve('still open')])).toBe('still open');
    await iterator.return?.();
  });
});
