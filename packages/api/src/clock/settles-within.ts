import { abandonAtDeadline, type Deadline } from './deadline.js';

/**
 * Waits for work that runs anyway: true once it has resolved, false at the time limit (`timeoutMs`, `Infinity` for none). Rejects as the work
 * does, or with the signal's reason when that aborts first. Does not affect the work; if it rejects after the wait, the rejection is dropped.
 * Once settled, the wait leaves neither a timer nor a listener behind.
 */
export async function settlesWithin(work: Promise<unknown>, { clock, timeoutMs, signal }: Omit<Deadline, 'error'>): Promise<boolean> {
  // The wait may end before it looks at the work: its rejection must then not count as unhandled.
  work.catch(() => {});
  const late = new Error('the work has not settled in time');
  try {
    await abandonAtDeadline({ clock, timeoutMs, signal, error: () => late }, () => work);
    return true;
  } catch (error) {
    if (error === late) return false;
    throw error;
  }
}
