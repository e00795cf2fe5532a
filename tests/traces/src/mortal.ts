import type { Clock } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';

/** What an agent lives on, until it is killed. */
export interface Life {
  clock: Clock;
  cri: { runtime: RuntimeService; image: ImageService };
  readonly alive: boolean;
  /** As `kill -9`: the agent's timers never fire again, its calls are never made, and it never hears how those under way went. */
  kill(): void;
}

const never = new Promise<never>(() => {});

export function mortal(clock: Clock, cri: Life['cri']): Life {
  let alive = true;
  const whileAlive = async <T>(promise: Promise<T>): Promise<T> => {
    const settled = await promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (!alive) return never;
    if ('error' in settled) throw settled.error;
    return settled.value;
  };
  /** The service with all its calls bound to the agent's life; those that stream are not used by it. */
  const bound = <S extends object>(service: S): S =>
    new Proxy(service, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          if (!alive) return never;
          const answer: unknown = method.apply(target, args);
          return answer instanceof Promise ? whileAlive(answer) : answer;
        };
      },
    });
  return {
    clock: {
      now: clock.now,
      monotonic: clock.monotonic,
      setTimeout: (callback, ms) => clock.setTimeout(() => alive && callback(), ms),
      sleep: (ms, signal) => whileAlive(clock.sleep(ms, signal)),
    },
    cri: { runtime: bound(cri.runtime), image: bound(cri.image) },
    get alive() {
      return alive;
    },
    kill() {
      alive = false;
    },
  };
}
