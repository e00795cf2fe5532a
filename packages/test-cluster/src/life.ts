import { type Clock, sleepWith, type Timer } from '@nodeagent/api';

/** What an agent lives on, until it is killed. */
export interface Life {
  readonly clock: Clock;
  readonly alive: boolean;
  /** A service whose calls are the agent's: after its end none is made, and it never hears how those under way went. */
  bind<S extends object>(service: S): S;
  /** What it waits for; never settles after its end. */
  hear<T>(promise: Promise<T>): Promise<T>;
  /** The same of what comes in pieces. */
  hearAll<T>(pieces: AsyncIterable<T>): AsyncIterable<T>;
  /** Called once it ends. */
  onEnd(release: () => void): void;
  /** As `kill -9`: the agent's timers never fire again, its calls are never made, and it never hears how those under way went. */
  kill(): void;
}

/** One for each that waits: a shared one would keep all that ever waited. */
const never = () => new Promise<never>(() => {});

/** A life on a clock. What an agent must not do after its end goes through it. */
export function createLife(clock: Clock): Life {
  let alive = true;
  const timers = new Set<Timer>();
  const releases: (() => void)[] = [];

  const setTimeout = (callback: () => void, ms: number): Timer => {
    if (!alive) return { cancel() {} };
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
  const hear = async <T>(promise: Promise<T>): Promise<T> => {
    try {
      const value = await promise;
      return alive ? value : never();
    } catch (error) {
      if (!alive) return never();
      throw error;
    }
  };
  const hearAll = <T>(pieces: AsyncIterable<T>): AsyncIterable<T> => ({
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        next: () => hear(iterator.next()),
        return: () => iterator.return?.() ?? Promise.resolve({ value: undefined, done: true as const }),
      };
    },
  });

  return {
    clock: { now: clock.now, monotonic: clock.monotonic, setTimeout, sleep: sleepWith(setTimeout) },
    get alive() {
      return alive;
    },
    hear,
    hearAll,
    onEnd: (release) => void releases.push(release),
    bind: <S extends object>(service: S): S =>
      new Proxy(service, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            if (!alive) return never();
            const answer: unknown = method.apply(target, args);
            if (answer instanceof Promise) return hear(answer);
            return isAsyncIterable(answer) ? hearAll(answer) : answer;
          };
        },
      }),
    kill() {
      if (!alive) return;
      alive = false;
      for (const timer of timers) timer.cancel();
      for (const release of releases) release();
    },
  };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
