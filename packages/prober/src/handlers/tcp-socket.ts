import { errorMessage } from '@nodeagent/api';
import { deadlineExceeded } from '../deadline-exceeded.js';
import { joinHostPort } from '../ports.js';
import { failed, type ProbeAttempt, succeeded } from '../probe-attempt.js';
import { connectTcp } from './connect.js';

/** A TCP probe: whatever accepts the connection is well. Never rejects. */
export async function tcpProbe(host: string, port: number, signal: AbortSignal): Promise<ProbeAttempt> {
  try {
    (await connectTcp(host, port, signal)).destroy();
    return succeeded('');
  } catch (error) {
    return failed(error === deadlineExceeded ? `dial tcp ${joinHostPort(host, port)}: i/o timeout` : errorMessage(error));
  }
}
