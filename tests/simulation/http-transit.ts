import type { Deliveries } from './deliveries.js';

/** One request and its response, over a real connection between a client and a server in one process. */
export interface HttpCall {
  /** The place of the call in the order of sending. */
  readonly order: number;
  /** The client receives parts of the response: its head, or bytes. */
  arrive(units: number, deliver: () => void): void;
  /** The client receives the end of the response, or loses the connection. */
  arriveEnd(deliver: () => void): void;
  /** The client closes the connection by `close`, once nothing is in transit; without effect if the whole response has arrived. */
  abort(close: () => void): void;
  /** The connection is being closed, by this client or another one. */
  expectClose(): void;
  /** The server receives the request. */
  receive(deliver: () => void): void;
  /** The server sends parts of the response. */
  send(units: number): void;
  /** The server sends the end of the response. */
  sendEnd(): void;
  /** The server closes the connection by `close`, once nothing is in transit. */
  breakOff(close: () => void): void;
  /** The server loses the connection; without effect after the end of the response. */
  lose(deliver: () => void): void;
}

/** The HTTP calls in transit. */
export interface HttpTransit {
  /** The client sends a request. */
  call(): HttpCall;
  /** Calls `run` once nothing is in transit, before all messages that have arrived are delivered. */
  first(run: () => void): void;
  /** Delivers no further messages. */
  stop(): void;
}

export function createHttpTransit(deliveries: Deliveries): HttpTransit {
  let calls = 0;
  /** What is in transit of each call: the request or a close, and units of the response. */
  const inTransit = new Set<{ toServer: number; toClient: number }>();
  const { hold, changed, stop } = deliveries.open(() => [...inTransit].some(({ toServer, toClient }) => toServer > 0 || toClient > 0));

  const call = (): HttpCall => {
    const order = calls++;
    const units = { toServer: 1, toClient: 0 };
    const open = { client: true, server: true };
    const end = (side: 'client' | 'server') => {
      open[side] = false;
      if (!open.client && !open.server) inTransit.delete(units);
      changed();
    };
    const sendEnd = () => {
      if (!open.server) return;
      if (open.client) units.toClient++;
      end('server');
    };
    const expectClose = () => {
      if (open.client && open.server) units.toServer = 1;
    };
    inTransit.add(units);
    changed();
    return {
      order,
      arrive(arrived, deliver) {
        units.toClient -= arrived;
        hold(order, deliver);
      },
      arriveEnd(deliver) {
        // The server notices a connection that was lost before its response.
        expectClose();
        units.toClient = 0;
        end('client');
        hold(order, deliver);
      },
      abort(close) {
        if (!open.client) return;
        hold(order, () => {
          if (!open.client) return;
          expectClose();
          close();
        });
      },
      expectClose,
      receive(deliver) {
        units.toServer = 0;
        hold(order, deliver);
      },
      send(sent) {
        if (!open.client || !open.server) return;
        units.toClient += sent;
        changed();
      },
      sendEnd,
      breakOff(close) {
        hold(order, () => {
          if (!open.server) return;
          sendEnd();
          close();
        });
      },
      lose(deliver) {
        if (!open.server) return;
        units.toServer = 0;
        sendEnd();
        hold(order, deliver);
      },
    };
  };

  return { call, first: (run) => hold(-1, run), stop };
}
