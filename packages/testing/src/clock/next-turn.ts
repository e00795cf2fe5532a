/** What a turn uses of a `MessagePort`; the types of Node.js lack `onmessage`. */
interface Port {
  onmessage: (() => void) | null;
  postMessage(message: unknown): void;
}

let channel: { port1: Port; port2: Port } | undefined;
const waiting: (() => void)[] = [];

/**
 * Resolves after all promise reactions that can run have run: a message is delivered when their queue is empty. A message channel does that
 * alike in Node.js, Bun, Deno and browsers, and at once, where browsers delay timers. Without a waiter it keeps no process running, except in
 * Deno, whose channels do until they are closed.
 */
export function nextTurn(): Promise<void> {
  channel ??= new MessageChannel() as unknown as { port1: Port; port2: Port };
  const { port1, port2 } = channel;
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) port1.onmessage = () => deliver(port1);
    port2.postMessage(undefined);
  });
}

/** One waiter a message, so that each waits for a turn that began after its call. */
function deliver(port: Port): void {
  const resolve = waiting.shift();
  if (waiting.length === 0) port.onmessage = null;
  resolve?.();
}
