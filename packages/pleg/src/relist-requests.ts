/** A request to look at one pod now; `time` is when it was made. */
export interface RelistRequest {
  podUid: string;
  time: number;
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
    /** The oldest request made after `time`; older ones were answered by a full relist and are dropped. */
    takeNewerThan(time: number): RelistRequest | undefined {
      for (;;) {
        const request = waiting.shift();
        if (request === undefined || request.time > time) return request;
      }
    },
  };
}
