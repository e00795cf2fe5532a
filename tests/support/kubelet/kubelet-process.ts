import { spawn } from 'node:child_process';
import { existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineAddress } from '../machine-address.js';

/** Path of a kubelet to test beside the agent: `NODEAGENT_KUBELET`. Undefined if it is not set. */
export const kubeletBinary = process.env.NODEAGENT_KUBELET;

export interface KubeletOptions {
  binary: string;
  /** Folder of its configuration and log. */
  dir: string;
  rootDir: string;
  podLogsDir: string;
  kubeconfig: string;
  endpoint: string;
  nodeName: string;
  /** Folder of static pods. Default: none. */
  manifests?: string;
  /** With it, the kubelet requests and rotates its client certificate, in `pki` of the root directory. Default: none. */
  bootstrapKubeconfig?: string;
}

export interface KubeletProcess {
  readonly pid: number;
  /** Sends SIGTERM, or SIGKILL, and resolves once the process has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a kubelet that runs beside others on any machine: no swap check, cgroup v1 too, and no ports but one. */
export function startKubelet({
  binary,
  dir,
  rootDir,
  podLogsDir,
  kubeconfig,
  endpoint,
  nodeName,
  manifests,
  bootstrapKubeconfig,
}: KubeletOptions): KubeletProcess {
  if (!existsSync(binary)) throw new Error(`NODEAGENT_KUBELET: there is no ${binary}`);
  const config = join(dir, 'kubelet.json');
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      containerRuntimeEndpoint: endpoint,
      contentType: 'application/json',
      cgroupDriver: 'cgroupfs',
      failSwapOn: false,
      failCgroupV1: false,
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      port: 10259,
      healthzPort: 0,
      podLogsDir,
      evictionHard: { 'memory.available': '1Mi' },
      ...(manifests && { staticPodPath: manifests }),
      rotateCertificates: bootstrapKubeconfig !== undefined,
    }),
  );
  const log = openSync(join(dir, 'kubelet.log'), 'a');
  const files = [
    ...['--config', config, '--kubeconfig', kubeconfig, '--root-dir', rootDir, '--cert-dir', join(rootDir, 'pki')],
    ...(bootstrapKubeconfig ? ['--bootstrap-kubeconfig', bootstrapKubeconfig] : []),
  ];
  const child = spawn(binary, [...files, '--hostname-override', nodeName, '--node-ip', machineAddress()], {
    stdio: ['ignore', log, log],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid ?? 0,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
    },
  };
}
