/**
 * A bounded queue between a producer that must not wait and a consumer that takes one item at a time. A full channel refuses the item, and
 * the producer drops and counts it.
 */
export interface Channel<T> {
  readonly capacity: number;
  readonly size: number;
  /** Appends; false if the channel is full. */
  offer(item: T): boolean;
  /** Takes the oldest item, or undefined. */
  poll(): T | undefined;
  /** Called synchronously after each accepted item. One listener: the consumer, which schedules its next poll. */
  onOffer: (() => void) | undefined;
}

export function createChannel<T>(capacity: number): Channel<T> {
  const items: T[] = [];
  return {
    capacity,
    get size() {
      return items.length;
    },
    offer(item) {
      if (items.length >= capacity) return false;
      items.push(item);
      this.onOffer?.();
      return true;
    },
    poll: () => items.shift(),
    onOffer: undefined,
  };
}
