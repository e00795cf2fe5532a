import { type Clock, sleepWith, type Timer } from '@nodeagent/api';

/** The simulated process of an agent, which can be killed. */
export interface AgentProcess {
  readonly clock: Clock;
  readonly isAlive: boolean;
  /** Wraps a service that the agent calls: after a kill no calls are made, and calls in flight never settle. */
  bind<S extends object>(service: S): S;
  /** Settles like the promise; never settles after a kill. */
  receive<T>(promise: Promise<T>): Promise<T>;
  /** The same for a stream. */
  receiveAll<T>(pieces: AsyncIterable<T>): AsyncIterable<T>;
  /** Adds a function that is called at the kill. */
  onEnd(release: () => void): void;
  /** Kills the agent as `kill -9` does: its timers never fire again, no calls are made, and calls in flight never settle. */
  kill(): void;
}

/** A new promise for each caller: a shared one would retain all callers. */
const never = () => new Promise<never>(() => {});

/** Creates a simulated process on a clock. All effects of an agent that must end with a kill go through it. */
export function createAgentProcess(clock: Clock): AgentProcess {
  let isAlive = true;
  const timers = new Set<Timer>();
  const releases: (() => void)[] = [];

  const setTimeout = (callback: () => void, ms: number): Timer => {
    if (!isAlive) return { cancel() {} };
    const set = clock.setTimeout(() => {
      timers.delete(timer);
      callback();
    }, ms);
    const timer: Timer = {
      cancel() {
        timers.delete(timer);
        set.cancel();
      },
    };
    timers.add(timer);
    return timer;
  };
  const receive = async <T>(promise: Promise<T>): Promise<T> => {
    try {
      const value = await promise;
      return isAlive ? value : never();
    } catch (error) {
      if (!isAlive) return never();
      throw error;
    }
  };
  const receiveAll = <T>(pieces: AsyncIterable<T>): AsyncIterable<T> => ({
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        next: () => receive(iterator.next()),
        return: () => iterator.return?.() ?? Promise.resolve({ value: undefined, done: true as const }),
      };
    },
  });

  return {
    clock: { now: clock.now, monotonic: clock.monotonic, setTimeout, sleep: sleepWith(setTimeout) },
    get isAlive() {
      return isAlive;
    },
    receive,
    receiveAll,
    onEnd: (release) => void releases.push(release),
    bind: <S extends object>(service: S): S =>
      new Proxy(service, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            if (!isAlive) return never();
            const answer: unknown = method.apply(target, args);
            if (answer instanceof Promise) return receive(answer);
            return isAsyncIterable(answer) ? receiveAll(answer) : answer;
          };
        },
      }),
    kill() {
      if (!isAlive) return;
      isAlive = false;
      for (const timer of timers) timer.cancel();
      for (const release of releases) release();
    },
  };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
