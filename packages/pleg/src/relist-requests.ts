/** A request to relist one pod now; `revision` is the cache revision of the request. */
export interface RelistRequest {
  podUid: string;
  revision: number;
}

/** The queue of pending requests, oldest first. A full queue refuses requests; the next full relist covers them. */
export function createRelistRequests(capacity: number) {
  const waiting: RelistRequest[] = [];
  return {
    /** False if the queue is full. */
    add(request: RelistRequest): boolean {
      if (waiting.length >= capacity) return false;
      waiting.push(request);
      return true;
    },
    /** Removes and returns the oldest request made after `revision`. Drops older ones, because a full relist has covered them. */
    takeNewerThan(revision: number): RelistRequest | undefined {
      for (;;) {
        const request = waiting.shift();
        if (request === undefined || request.revision > revision) return request;
      }
    },
  };
}
