import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '@nodeagent/api';
import type { Change } from './change-log.js';
import type { NodePageSettings } from './options.js';

/** A state that browsers follow. */
export interface FollowedState {
  watch(onChange: (change: Change) => void): void;
  unwatch(): void;
  changesAfter(id: string | undefined): readonly Change[];
}

/** The connected browsers, each on a stream of server-sent events: HTML standard, "Server-sent events". */
export interface EventStream {
  open(request: IncomingMessage, response: ServerResponse, after: string | undefined): void;
  /** Closes all streams. */
  close(): void;
}

/** Keeps idle streams open through proxies, and detects disconnected browsers. */
const heartbeatMs = 20_000;
/** Reconnection delay of a browser. */
const retryMs = 2_000;

export function createEventStream(
  live: FollowedState,
  clock: Clock,
  { maxViewers, maxBacklogBytes }: Pick<Required<NodePageSettings>, 'maxViewers' | 'maxBacklogBytes'>,
): EventStream {
  /** With the maximum number of buffered bytes of each: its initial state plus the backlog. */
  const viewers = new Map<ServerResponse, number>();
  let heartbeat: Timer | undefined;

  /** Disconnects a browser that does not read; it reconnects and resumes after its last event. */
  const send = (viewer: ServerResponse, maxBytes: number, text: string) => {
    viewer.write(text);
    if (viewer.writableLength <= maxBytes) return;
    viewer.destroy();
    leave(viewer);
  };
  const leave = (viewer: ServerResponse) => {
    if (!viewers.delete(viewer) || viewers.size > 0) return;
    heartbeat?.cancel();
    live.unwatch();
  };
  const toAll = (text: string) => {
    for (const [viewer, maxBytes] of [...viewers]) send(viewer, maxBytes, text);
  };
  const beat = () => {
    heartbeat = clock.setTimeout(() => {
      toAll(':\n\n');
      if (viewers.size > 0) beat();
    }, heartbeatMs);
  };

  return {
    open(request, response, after) {
      if (viewers.size >= maxViewers) {
        response.writeHead(503, { 'Retry-After': '10' }).end('too many browsers watch this page\n');
        return;
      }
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
      response.on('close', () => leave(response));
      response.on('error', () => leave(response));
      const beginning = [`retry: ${retryMs}\n\n`, ...live.changesAfter(after).map(formatChange)].join('');
      if (viewers.size === 0) {
        live.watch((change) => toAll(formatChange(change)));
        beat();
      }
      viewers.set(response, maxBacklogBytes + Buffer.byteLength(beginning));
      request.socket.setNoDelay(true);
      response.write(beginning);
    },
    close() {
      for (const viewer of [...viewers.keys()]) {
        viewer.end();
        leave(viewer);
      }
    },
  };
}

/** JSON has no line breaks outside its strings, and escapes those inside. */
function formatChange({ id, event, data }: Change): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}
