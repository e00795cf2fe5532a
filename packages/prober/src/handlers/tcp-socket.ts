import { errorMessage } from '@nodeagent/api';
import { deadlineExceeded } from '../deadline-exceeded.js';
import { joinHostPort } from '../ports.js';
import { failed, type ProbeAttempt, succeeded } from '../probe-attempt.js';
import { connectTcp } from './connect.js';

/** Makes a TCP probe: an accepted connection is success. Never rejects. */
export async function tcpProbe(host: string, port: number, signal: AbortSignal): Promise<ProbeAttempt> {
  try {
    (await connectTcp(host, port, signal)).destroy();
    return succeeded('');
  } catch (error) {
    return failed(error === deadlineExceeded ? `dial tcp ${joinHostPort(host, port)}: i/o timeout` : errorMessage(error));
  }
}
