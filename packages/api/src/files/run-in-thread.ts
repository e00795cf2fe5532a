/**
 * Runs a program in a thread, which ends with its first message, or when the signal aborts. Resolves to the message. For long work with files:
 * synchronous calls take a tenth of the CPU of Node's asynchronous ones.
 * @param program - the text of a CommonJS module, which posts one message to `parentPort`
 * @param workerData - what the program finds in `workerData`
 */
export async function runInThread<T>(program: string, workerData: unknown, signal: AbortSignal): Promise<T> {
  const { Worker } = await import('node:worker_threads');
  signal.throwIfAborted();
  const thread = new Worker(program, { eval: true, workerData, execArgv: [] });
  return new Promise<T>((resolve, reject) => {
    const end = () => void thread.terminate();
    const settle = (report: () => void) => {
      signal.removeEventListener('abort', end);
      report();
    };
    signal.addEventListener('abort', end);
    thread.once('message', (result: T) => settle(() => resolve(result)));
    thread.once('error', (error) => settle(() => reject(error)));
    thread.once('exit', () => settle(() => reject(signal.reason ?? new Error('the thread ended without a result'))));
  });
}
