/** A message that has arrived and is not delivered yet. */
interface HeldMessage {
  /** Messages of one call are delivered in the order of their arrival, calls in the order of this number. */
  order: number;
  deliver: () => void;
}

/** Connections of one kind. */
export interface Channel {
  /** Holds a message that has arrived. */
  hold(order: number, deliver: () => void): void;
  /** Something was sent or has arrived. */
  changed(): void;
  /** Delivers no further messages, and ignores those in transit. */
  stop(): void;
}

/**
 * Delivers the messages of real connections within one process. While none is in transit, the first held message is delivered, and so on: the
 * order of deliveries does not depend on real time.
 */
export interface Deliveries {
  /** Messages of a channel are delivered before those of channels that were opened later. */
  open(isInTransit: () => boolean): Channel;
  /** Waits in real time until all messages are delivered. */
  settle(): Promise<void>;
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export function createDeliveries(): Deliveries {
  const channels = new Map<Channel, { held: HeldMessage[]; isInTransit: () => boolean }>();
  let delivering: Promise<void> | undefined;

  async function deliverAll(): Promise<void> {
    for (;;) {
      await nextTurn();
      const open = [...channels.values()];
      if (open.some(({ isInTransit }) => isInTransit())) continue;
      const held = open.find((channel) => channel.held.length > 0)?.held;
      const [first] = held?.sort((a, b) => a.order - b.order).splice(0, 1) ?? [];
      if (!first) break;
      first.deliver();
    }
    delivering = undefined;
  }

  return {
    open(isInTransit) {
      const held: HeldMessage[] = [];
      const changed = () => {
        if (channels.has(channel)) delivering ??= deliverAll();
      };
      const channel: Channel = {
        hold(order, deliver) {
          held.push({ order, deliver });
          changed();
        },
        changed,
        stop: () => void channels.delete(channel),
      };
      channels.set(channel, { held, isInTransit });
      return channel;
    },
    async settle() {
      while (delivering) await delivering;
    },
  };
}
