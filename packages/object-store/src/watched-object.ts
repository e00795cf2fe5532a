import type { Clock, Informer, InformerSource, KubeObject, Logger, Timer } from '@nodeagent/api';
import { objectNotFound, objectNotSynced } from './errors.js';
import { untilSynced } from './until-synced.js';

export interface WatchedObjectOptions<T extends KubeObject> {
  namespace: string;
  name: string;
  /** The resource name in messages. */
  resource: string;
  source: InformerSource<T>;
  clock: Clock;
  logger: Logger;
  idleTimeoutMs: number;
}

/** How long a read waits for the first list. */
const syncTimeoutMs = 1000;

/** One object and its watch, which stops when the object is not read for a while or is immutable. */
export class WatchedObject<T extends KubeObject & { immutable?: boolean }> {
  readonly #options: WatchedObjectOptions<T>;
  #informer: Informer<T> | undefined;
  #idle: Timer | undefined;
  #lastRead = 0;
  #ended: Promise<unknown> = Promise.resolve();
  /** The object, once it is known to be immutable. */
  #final: T | undefined;

  constructor(options: WatchedObjectOptions<T>) {
    this.#options = options;
  }

  /** Starts the watch unless it runs or the object is immutable. */
  watch(): void {
    if (this.#informer !== undefined || this.#final !== undefined) return;
    const { namespace, name, source, clock } = this.#options;
    const informer = source.informer({ namespace, fieldSelector: `metadata.name=${escapeSelectorValue(name)}` });
    this.#informer = informer;
    this.#lastRead = clock.monotonic();
    this.#endWhenIdle();
    informer.start().catch(this.#failed);
  }

  /** Stops the watch and drops its cache. Resolves once this and earlier watches have stopped. */
  async unwatch(): Promise<void> {
    const informer = this.#informer;
    this.#informer = undefined;
    this.#idle?.cancel();
    if (informer !== undefined) this.#ended = Promise.all([this.#ended, informer.stop().catch(this.#failed)]);
    await this.#ended;
  }

  async read(signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#final !== undefined) return this.#final;
    const { namespace, name, resource, clock } = this.#options;
    this.#lastRead = clock.monotonic();
    const informer = this.#informer;
    if (informer === undefined || !(await untilSynced(informer, syncTimeoutMs, clock, signal))) {
      throw objectNotSynced(resource, namespace, name);
    }
    if (this.#final !== undefined) return this.#final;
    const object = informer.get({ namespace, name });
    if (object === undefined) throw objectNotFound(resource, name);
    if (object.immutable && this.#informer === informer) {
      this.#final = object;
      void this.unwatch();
    }
    return object;
  }

  readonly #failed = (error: unknown) => {
    const { resource, namespace, name, logger } = this.#options;
    logger.error({ resource, namespace, name, err: error }, 'could not start or stop a watch');
  };

  /** A watch without its first list continues: stopping it would only repeat the list. */
  #endWhenIdle(): void {
    const { clock, idleTimeoutMs } = this.#options;
    const left = this.#lastRead + idleTimeoutMs - clock.monotonic();
    this.#idle = clock.setTimeout(
      () => {
        const isIdle = clock.monotonic() - this.#lastRead >= idleTimeoutMs;
        if (isIdle && this.#informer?.hasSynced) void this.unwatch();
        else this.#endWhenIdle();
      },
      left > 0 ? left : idleTimeoutMs,
    );
  }
}

/** Field selectors give these characters a meaning. */
const escapeSelectorValue = (value: string) => value.replaceAll(/[\\,=]/g, '\\$&');
