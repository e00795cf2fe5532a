import { renameSync, writeFileSync } from 'node:fs';
import { errorHint, errorMessage } from '@nodeagent/api';
import { applyFiles } from '../files/apply-files.js';
import { machineNetwork } from '../http/machine-network.js';
import { fileStorage } from '../storage/file-storage.js';
import { createTestApiServer, type TestApiServer } from '../test-api-server.js';
import { type CommandFlags, parseFlags, usage } from './flags.js';
import { writeServiceCertificate } from './service-urls.js';

/** What the command writes to, and what ends it. */
export interface CommandPorts {
  out(text: string): void;
  err(text: string): void;
  version: string;
  /** Aborted when the command is to end. */
  signal: AbortSignal;
}

/** Runs the command `test-api-server` until the signal. Returns its exit code: 0, 1 for a failure, 2 for wrong arguments. */
export async function runCommand(args: readonly string[], ports: CommandPorts): Promise<number> {
  let flags: ReturnType<typeof parseFlags>;
  try {
    flags = parseFlags(args);
  } catch (error) {
    ports.err(`test-api-server: ${errorMessage(error)}\n\n${usage}`);
    return 2;
  }
  if (flags === 'help' || flags === 'version') {
    ports.out(flags === 'help' ? usage : `test-api-server ${ports.version}\n`);
    return 0;
  }
  try {
    await serve(flags, ports);
    return 0;
  } catch (error) {
    const hint = errorHint(error);
    ports.err(`test-api-server: ${errorMessage(error)}${hint ? `; ${hint}` : ''}\n`);
    return 1;
  }
}

async function serve(flags: CommandFlags, ports: CommandPorts): Promise<void> {
  const { host, port, tls, kubeconfig, apply, persist, sync, controllers, rbac, services, serviceUrls, serviceCerts } = flags;
  const server = createTestApiServer({
    network: machineNetwork,
    serviceUrls,
    ...(persist !== undefined && { storage: await fileStorage(persist, { sync }) }),
    ...(controllers && {
      workloads: true,
      scheduler: true,
      endpointSlices: true,
      disruptionBudgets: true,
      volumeBinder: true,
      resourceClaims: true,
    }),
    ...(rbac && { authorizer: 'rbac' }),
  });
  try {
    if (serviceCerts !== undefined) writeServiceCertificate(server, serviceCerts, services);
    await applyFiles(server, apply);
    const url = await server.listen({ host, port, tls });
    const config = configOf(server, tls);
    if (kubeconfig === undefined) ports.out(config);
    else {
      writeWhole(kubeconfig, config);
      ports.out(`${url}\n`);
    }
    await new Promise<void>((resolve) => {
      if (ports.signal.aborted) resolve();
      else ports.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    await server.close();
  }
}

const configOf = (server: TestApiServer, tls: boolean) =>
  server.kubeconfig(tls ? { user: { username: 'kubernetes-admin', groups: ['system:masters'] } } : {});

/** Readers of the file see all of it or none. */
function writeWhole(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
