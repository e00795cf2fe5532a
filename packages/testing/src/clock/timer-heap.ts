/** A timer in a {@link TimerHeap}. */
export interface HeapTimer {
  /** Due time, in monotonic milliseconds of the clock. */
  readonly at: number;
  /** Order of timers with the same due time. */
  readonly order: number;
  readonly callback: () => void;
  /** True after {@link TimerHeap.cancel}, or once the timer has fired. */
  done: boolean;
}

/**
 * A binary heap by due time, then by order of setting. Cancelling only marks a timer; it is removed when it reaches the top, or when
 * more than half of the heap is marked, so that cancelling costs O(1) amortised and long timers do not accumulate.
 */
export class TimerHeap {
  #items: HeapTimer[] = [];
  #cancelled = 0;

  /** Number of pending timers. */
  get size(): number {
    return this.#items.length - this.#cancelled;
  }

  push(item: HeapTimer): void {
    this.#items.push(item);
    this.#siftUp(this.#items.length - 1, item);
  }

  /** Does nothing for a timer that has fired or was cancelled. */
  cancel(item: HeapTimer): void {
    if (item.done) return;
    item.done = true;
    this.#cancelled++;
    if (this.#cancelled > 64 && this.#cancelled * 2 > this.#items.length) this.#compact();
  }

  /** The next timer to fire. */
  peek(): HeapTimer | undefined {
    for (;;) {
      const top = this.#items[0];
      if (top === undefined || !top.done) return top;
      this.#removeTop();
      this.#cancelled--;
    }
  }

  /** Removes and returns the next timer to fire. */
  pop(): HeapTimer | undefined {
    const top = this.peek();
    if (top === undefined) return undefined;
    this.#removeTop();
    top.done = true;
    return top;
  }

  /** A sorted array is a heap. */
  #compact(): void {
    this.#items = this.#items.filter((item) => !item.done).sort((a, b) => (before(a, b) ? -1 : 1));
    this.#cancelled = 0;
  }

  #removeTop(): void {
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#siftDown(last);
  }

  #siftUp(from: number, item: HeapTimer): void {
    const items = this.#items;
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !before(item, parent)) break;
      items[index] = parent;
      index = above;
    }
    items[index] = item;
  }

  #siftDown(item: HeapTimer): void {
    const items = this.#items;
    let index = 0;
    for (;;) {
      const left = items[2 * index + 1];
      const right = items[2 * index + 2];
      if (left === undefined) break;
      const goRight = right !== undefined && before(right, left);
      const child = goRight ? right : left;
      if (!before(child, item)) break;
      items[index] = child;
      index = 2 * index + (goRight ? 2 : 1);
    }
    items[index] = item;
  }
}

function before(a: HeapTimer, b: HeapTimer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
