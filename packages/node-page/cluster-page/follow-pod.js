/** Period at which an open pod is read again: its explanation has times. */
const periodMs = 5_000;

/** Reads the details of one pod, at most one request at a time, until another one or none is followed. */
export function followPod(onDetails) {
  let followed;
  let isReading = false;
  let isStale = false;
  const read = async () => {
    isStale = isReading;
    if (isReading || followed === undefined) return;
    isReading = true;
    const { id, namespace, name } = followed;
    try {
      const answer = await fetch(`pod?${new URLSearchParams({ namespace, name })}`, { cache: 'no-store' });
      if (answer.ok && followed?.id === id) onDetails(await answer.json());
    } catch {
      // The stream shows that the cluster is unreachable.
    } finally {
      isReading = false;
    }
    if (isStale) void read();
  };
  setInterval(read, periodMs);
  return {
    follow(pod) {
      followed = pod;
      void read();
    },
    refresh: () => void read(),
  };
}
