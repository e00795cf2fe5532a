import { describe, expect, it } from 'vitest';
import { createOperationQueue } from './operation-queue.js';

/** Operations that end when `end(name)` is called; `running()` lists those that have started. */
function useQueue(maxParallel: number) {
  const queue = createOperationQueue(maxParallel);
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => new Promise<void>((resolve) => ends.set(name, resolve));
  return {
    queue,
    run: (name: string, signal?: AbortSignal) => queue.run(name.slice(0, 1), work(name), signal),
    runAlone: (name: string) => queue.runAlone(work(name)),
    running: () => [...ends.keys()].join(' '),
    async end(name: string) {
      ends.get(name)?.();
      ends.delete(name);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    },
  };
}

describe('createOperationQueue', () => {
  it('runs the operations of one key one after the other, others beside them', async () => {
    const { run, running, end } = useQueue(10);
    for (const name of ['a1', 'a2', 'b1', 'a3']) void run(name);
    expect(running()).toBe('a1 b1');
    await end('a1');
    expect(running()).toBe('b1 a2');
    await end('a2');
    expect(running()).toBe('b1 a3');
  });

  it('has a limit', async () => {
    const { run, running, end } = useQueue(2);
    for (const name of ['a', 'b', 'c']) void run(name);
    expect(running()).toBe('a b');
    await end('b');
    expect(running()).toBe('a c');
  });

  it('runs an exclusive operation alone, before those that came later', async () => {
    const { run, runAlone, running, end } = useQueue(10);
    void run('a');
    void runAlone('gc');
    void run('b');
    expect(running()).toBe('a');
    await end('a');
    expect(running()).toBe('gc');
    await end('gc');
    expect(running()).toBe('b');
  });

  it('continues after a failure, and gives it to its caller', async () => {
    const { queue } = useQueue(1);
    const failed = queue.run('a', async () => Promise.reject(new Error('no')));
    await expect(queue.run('a', async () => 'done')).resolves.toBe('done');
    await expect(failed).rejects.toThrow('no');
  });

  it('drops a waiting operation whose signal aborts', async () => {
    const { run, running, end } = useQueue(1);
    const controller = new AbortController();
    void run('a');
    const dropped = run('b', controller.signal);
    void run('c');
    controller.abort(new Error('stopped'));
    await expect(dropped).rejects.toThrow('stopped');
    await end('a');
    expect(running()).toBe('c');
    await expect(run('d', controller.signal)).rejects.toThrow('stopped');
  });
});
