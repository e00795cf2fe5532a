import { abandonAtDeadline, type Deadline } from './deadline.js';

/**
 * Waits for work that is already running. Resolves to true once the work has resolved, to false at the time limit (`timeoutMs`, `Infinity`
 * for none). Rejects as the work does, or with the signal's reason when that aborts first. Does not affect the work; if it rejects after
 * the wait, the rejection is dropped. Once settled, the wait leaves neither a timer nor a listener behind.
 */
export async function settlesWithin(work: Promise<unknown>, { clock, timeoutMs, signal }: Omit<Deadline, 'error'>): Promise<boolean> {
  // The wait may end before it awaits the work; a rejection of the work must not count as unhandled then.
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
