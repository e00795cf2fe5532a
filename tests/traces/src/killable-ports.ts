import type { Clock } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';

/** An agent's clock and runtime, which simulate `kill -9` of the agent. */
export interface KillablePorts {
  clock: Clock;
  cri: { runtime: RuntimeService; image: ImageService };
  readonly alive: boolean;
  /** As `kill -9`: the agent's timers never fire again, it makes no more calls, and pending calls never settle. */
  kill(): void;
}

const never = new Promise<never>(() => {});

export function createKillablePorts(clock: Clock, cri: KillablePorts['cri']): KillablePorts {
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
  /** The service with all its unary calls bound to the agent; the agent does not use the streaming ones. */
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
