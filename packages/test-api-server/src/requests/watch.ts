import type { Timer } from '@nodeagent/api';
import { type ApiContext, shown } from '../context.js';
import type { ApiObject } from '../objects.js';
import { nullFieldsOfEmpty } from '../registry/null-fields.js';
import { apiVersionOf, type ServedResource } from '../registry/resource.js';
import { badRequest, expired, tooLarge, wireStatusOf } from '../status.js';
import type { ListSelection } from '../store/selection.js';
import type { StoreEvent } from '../store/store-event.js';
import { revisionOf, wholeNumber } from './list.js';
import type { Presentation } from './presentation.js';

/** Time from the last bookmark to the timeout of a watch. */
const lastBookmarkMs = 2_000;
/** Watches without `timeoutSeconds` end after 30 to 60 minutes. */
const defaultTimeoutMs = 1_800_000;
/** Maximum number of lines queued for a slow reader; a watch with more is closed. */
const longestQueue = 10_000;

/** Selection and form of a watch. */
export interface WatchRequest {
  definition: ServedResource;
  selection: ListSelection;
  presentation: Presentation;
  query: URLSearchParams;
  signal?: AbortSignal;
}

/** An open watch. */
export interface WatchStream extends AsyncIterable<string> {
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
  const { store, clock, random, bookmarkPeriodMs, texts } = context;
  const { definition, selection, presentation, query, signal } = request;
  const start = revisionOf(query.get('resourceVersion') ?? '');
  const bookmarks = query.get('allowWatchBookmarks') === 'true';
  const initial = query.get('sendInitialEvents');
  if (initial !== null && query.get('resourceVersionMatch') !== 'NotOlderThan') {
    throw badRequest('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (start > store.revision) throw tooLarge(start, store.revision);

  const lines = new LineQueue();
  const view = (object: ApiObject) => shown(definition, object);
  const emit = (type: string, object: unknown) => {
    if (!lines.push(`{"type":"${type}","object":${texts.of(object)}}\n`)) end();
  };
  const emitChange = (event: StoreEvent) => {
    const change = visibleChange(event, (object) => selection.matches(view(object)));
    if (change) emit(change.type, presentation.one(view(change.object)));
  };
  const emitBookmark = (annotations?: Record<string, string>) => {
    const metadata = { resourceVersion: String(store.revision), ...(annotations && { annotations }) };
    emit('BOOKMARK', { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata, ...nullFieldsOfEmpty(definition.storage) });
  };

  const timers: Timer[] = [];
  let unsubscribe = () => {};
  const end = (error?: unknown) => {
    if (lines.closed) return;
    if (error !== undefined) emit('ERROR', wireStatusOf(error));
    lines.close();
    for (const timer of timers) timer.cancel();
    unsubscribe();
    signal?.removeEventListener('abort', onAbort);
    watches.delete(stream);
  };
  const onAbort = () => end();

  const stream: WatchStream = {
    end,
    cut(error) {
      lines.fail(error);
      end();
    },
    get ended() {
      return lines.closed;
    },
    definition,
    [Symbol.asyncIterator]: () => ({
      next: () => lines.next(),
      return: async () => {
        end();
        return { value: undefined, done: true };
      },
    }),
  };
  watches.add(stream);

  const missed = start === 0 || initial === 'true' ? [] : store.since(definition.storage, start);
  if (missed === undefined) {
    end(expired(`too old resource version: ${start} (${store.forgotten})`));
  } else {
    if (initial === 'true' || (initial === null && start === 0)) {
      const objects = store.list(definition.storage, selection.namespace);
      lines.allow(objects.length);
      for (const object of objects) {
        if (selection.matches(view(object))) emit('ADDED', presentation.one(view(object)));
      }
      if (initial === 'true' && bookmarks) emitBookmark({ 'k8s.io/initial-events-end': 'true' });
    }
    for (const event of missed) emitChange(event);
    const { field } = selection;
    unsubscribe = store.onEvent(emitChange, { storage: definition.storage, ...(field && !definition.fromStored && { field }) });
    const timeoutMs = wholeNumber(query, 'timeoutSeconds') * 1000 || defaultTimeoutMs * (1 + random());
    timers.push(clock.setTimeout(() => end(), timeoutMs));
    if (bookmarks) {
      const again = () => {
        emitBookmark();
        timers[1] = clock.setTimeout(again, bookmarkPeriodMs);
      };
      timers[1] = clock.setTimeout(again, bookmarkPeriodMs);
      if (timeoutMs > lastBookmarkMs) timers.push(clock.setTimeout(() => emitBookmark(), timeoutMs - lastBookmarkMs));
    }
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', onAbort, { once: true });
  }
  return stream;
}

/** A change for a selection: an object that starts to match was added, one that stops to match was deleted. */
function visibleChange(
  { type, object, previous }: StoreEvent,
  matches: (object: ApiObject) => boolean,
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

/** The queue between the server, which never blocks, and one reader. */
class LineQueue {
  #lines: string[] = [];
  #waiting: { resolve(result: IteratorResult<string>): void; reject(error: Error): void } | undefined;
  #error: Error | undefined;
  closed = false;

  /** Lines before the first change; they do not count towards the limit. */
  #allowance = 0;

  allow(lines: number): void {
    this.#allowance += lines;
  }

  /** Returns false if the reader is too slow. */
  push(line: string): boolean {
    if (this.#waiting) {
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      resolve({ value: line, done: false });
      return true;
    }
    if (this.#lines.length >= longestQueue + this.#allowance) return false;
    this.#lines.push(line);
    return true;
  }

  close(): void {
    this.closed = true;
    this.#waiting?.resolve({ value: undefined, done: true });
    this.#waiting = undefined;
  }

  /** Drops the queue; the reader gets the error. */
  fail(error: Error): void {
    this.#lines = [];
    this.#error = error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  /** Returns the queued lines as one chunk. */
  next(): Promise<IteratorResult<string>> {
    if (this.#lines.length > 0) {
      const value = this.#lines.join('');
      this.#lines = [];
      return Promise.resolve({ value, done: false });
    }
    if (this.#error) return Promise.reject(this.#error);
    if (this.closed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }
}
