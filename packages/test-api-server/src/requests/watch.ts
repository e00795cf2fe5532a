import type { Timer } from '@nodeagent/api';
import { type ApiContext, prepareShown, requireShown, shown } from '../context.js';
import { emptyOfKind } from '../fields/go-form.js';
import type { ApiObject } from '../objects.js';
import { apiVersionOf, type ServedResource } from '../registry/resource.js';
import { expired, tooLarge, wireStatusOf } from '../status.js';
import type { ListSelection } from '../store/selection.js';
import type { StoreEvent } from '../store/store-event.js';
import { type Line, LineQueue } from './line-queue.js';
import { revisionOf, wholeNumber } from './list.js';
import { checkListOptions } from './list-options.js';
import type { Presentation } from './presentation.js';
import type { ProtobufCodec } from './protobuf.js';
import { flagOf } from './request.js';

/** Time from the last bookmark to the timeout of a watch. */
const lastBookmarkMs = 2_000;
/** Watches without `timeoutSeconds` end after 30 to 60 minutes. */
const defaultTimeoutMs = 1_800_000;

/** Selection and form of a watch. */
export interface WatchRequest {
  definition: ServedResource;
  selection: ListSelection;
  presentation: Presentation;
  /** Default: the events are JSON. */
  protobuf?: ProtobufCodec;
  query: URLSearchParams;
  signal?: AbortSignal;
}

/** An open watch. */
export interface WatchStream extends AsyncIterable<Line> {
  /** Closes the watch, cleanly or with an event of type ERROR. */
  end(error?: unknown): void;
  /** Breaks the watch: the reader gets the error instead of an end. */
  cut(error: Error): void;
  readonly ended: boolean;
  readonly definition: ServedResource;
}

/**
 * Watches the changes of a resource: Kubernetes documentation, "API Concepts: Efficient detection of changes", "Watch bookmarks",
 * "Streaming lists". Throws if the watch is rejected before the first event; an expired resourceVersion is reported by an ERROR event.
 * The watch is in `watches` until it ends.
 */
export function openWatch(context: ApiContext, request: WatchRequest, watches: Set<WatchStream>): WatchStream {
  const { query } = request;
  const start = revisionOf(query.get('resourceVersion') ?? '');
  const initial = flagOf(query, 'sendInitialEvents');
  checkListOptions(query, 'watch');
  if (start > context.store.revision) throw tooLarge(start, context.store.revision);
  if (start === 0 || initial) requireShown(request.definition, context.store.list(request.definition.storage, request.selection.namespace));
  const watch: Watch = new Watch(context, request, () => watches.delete(watch));
  watches.add(watch);
  watch.begin(start, initial);
  return watch;
}

class Watch implements WatchStream {
  readonly definition: ServedResource;
  readonly #context: ApiContext;
  readonly #request: WatchRequest;
  readonly #onEnd: () => void;
  readonly #lines = new LineQueue();
  readonly #timers = new Set<Timer>();
  #unsubscribe = () => {};
  /** The last conversion of a change; changes keep their order. */
  #converted: Promise<void> = Promise.resolve();

  constructor(context: ApiContext, request: WatchRequest, onEnd: () => void) {
    this.#context = context;
    this.#request = request;
    this.#onEnd = onEnd;
    this.definition = request.definition;
  }

  get ended(): boolean {
    return this.#lines.closed;
  }

  /** Reports the changes after `start`, then every new one. */
  begin(start: number, initial: boolean | undefined): void {
    const { store } = this.#context;
    const { query, signal } = this.#request;
    const bookmarks = flagOf(query, 'allowWatchBookmarks') === true;
    const missed = start === 0 || initial ? [] : store.since(this.definition.storage, start);
    if (missed === undefined) {
      this.end(expired(`too old resource version: ${start} (${store.forgotten})`));
      return;
    }
    if (initial || (initial === undefined && start === 0)) this.#emitObjects();
    if (initial && bookmarks) this.#emitBookmark({ 'k8s.io/initial-events-end': 'true' });
    for (const event of missed) this.#report(event);
    this.#subscribe();
    this.#setTimers(bookmarks);
    if (signal?.aborted) this.end();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  end(error?: unknown): void {
    if (this.ended) return;
    if (error !== undefined) this.#emit('ERROR', wireStatusOf(error));
    this.#lines.close();
    for (const timer of this.#timers) timer.cancel();
    this.#unsubscribe();
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#onEnd();
  }

  cut(error: Error): void {
    this.#lines.fail(error);
    this.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<Line> {
    return {
      next: () => this.#lines.next(),
      return: async () => {
        this.end();
        return { value: undefined, done: true };
      },
    };
  }

  readonly #onAbort = () => this.end();

  readonly #view = (object: ApiObject) => shown(this.definition, object);

  #subscribe(): void {
    const { storage, fromStored, custom } = this.definition;
    const { field } = this.#request.selection;
    // The stored form of some objects lacks fields of a version, or their defaults.
    const interest = { storage, ...(field && !fromStored && !custom && { field }) };
    this.#unsubscribe = this.#context.store.onEvent((event) => this.#report(event), interest);
  }

  /** Timers of the end and of the bookmarks. */
  #setTimers(bookmarks: boolean): void {
    const { random, bookmarkPeriodMs } = this.#context;
    const timeoutMs = wholeNumber(this.#request.query, 'timeoutSeconds') * 1000 || defaultTimeoutMs * (1 + random());
    this.#after(timeoutMs, () => this.end());
    if (!bookmarks) return;
    const again = () => {
      this.#emitBookmark();
      this.#after(bookmarkPeriodMs, again);
    };
    this.#after(bookmarkPeriodMs, again);
    if (timeoutMs > lastBookmarkMs) this.#after(timeoutMs - lastBookmarkMs, () => this.#emitBookmark());
  }

  #after(delayMs: number, run: () => void): void {
    const timer = this.#context.clock.setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, delayMs);
    this.#timers.add(timer);
  }

  #emitObjects(): void {
    const objects = this.#context.store.list(this.definition.storage, this.#request.selection.namespace);
    this.#lines.allow(objects.length);
    for (const object of objects.map(this.#view)) if (this.#request.selection.matches(object)) this.#emitObject('ADDED', object);
  }

  /** Emits a change, at once unless a webhook has to convert the object. */
  #report(event: StoreEvent): void {
    if (!this.definition.custom?.converter) {
      this.#emitChange(event);
      return;
    }
    const { object, previous } = event;
    this.#converted = this.#converted
      .then(() => prepareShown(this.definition, previous ? [previous, object] : [object]))
      .then(() => this.#emitChange(event))
      .catch((error: unknown) => this.end(error));
  }

  #emitChange(event: StoreEvent): void {
    if (this.ended) return;
    const { type, object, previous } = event;
    const change = visibleChange(type, this.#view(object), previous && this.#view(previous), this.#request.selection);
    if (change) this.#emitObject(change.type, change.object);
  }

  #emitBookmark(annotations?: Record<string, string>): void {
    const { kind } = this.definition;
    const apiVersion = apiVersionOf(this.definition);
    const metadata = { resourceVersion: String(this.#context.store.revision), ...(annotations && { annotations }) };
    this.#emit('BOOKMARK', { kind, apiVersion, metadata, ...emptyOfKind(apiVersion, kind) });
  }

  #emitObject(type: string, object: ApiObject): void {
    this.#emit(type, this.#request.presentation.one(object));
  }

  #emit(type: string, object: object): void {
    const { texts } = this.#context;
    const { protobuf } = this.#request;
    const line = protobuf ? texts.frame(type, object, protobuf.encodeEvent) : `{"type":"${type}","object":${texts.of(object)}}\n`;
    if (!this.#lines.push(line)) this.end();
  }
}

/** A change of a shown object for a selection: one that starts to match was added, one that stops to match was deleted. */
function visibleChange(
  type: StoreEvent['type'],
  object: ApiObject,
  previous: ApiObject | undefined,
  { matches }: Pick<ListSelection, 'matches'>,
): { type: StoreEvent['type']; object: ApiObject } | undefined {
  const before = previous !== undefined && matches(previous);
  if (type === 'DELETED') return before ? { type, object } : undefined;
  const after = matches(object);
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object };
  if (!before) return undefined;
  return {
    type: 'DELETED',
    object: { ...previous, metadata: { ...previous.metadata, resourceVersion: object.metadata.resourceVersion ?? '' } },
  };
}
