/** A request to look at one pod now; `moment` is when it was made, in the cache's order. */
export interface RelistRequest {
  podUid: string;
  moment: number;
}

/** The requests that wait, oldest first. A full queue refuses: the next full relist serves what was refused. */
export function createRelistRequests(capacity: number) {
  const waiting: RelistRequest[] = [];
  return {
    /** False if it is full. */
    add(request: RelistRequest): boolean {
      if (waiting.length >= capacity) return false;
      waiting.push(request);
      return true;
    },
    /** The oldest request made after `moment`; older ones were answered by a full relist and are dropped. */
    takeNewerThan(moment: number): RelistRequest | undefined {
      for (;;) {
        const request = waiting.shift();
        if (request === undefined || request.moment > moment) return request;
      }
    },
  };
}
