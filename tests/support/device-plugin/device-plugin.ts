import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '../until.js';

const program = fileURLToPath(new URL('./device-plugin-process.ts', import.meta.url));

/** The device plugin for tests as a separate process. */
export interface DevicePluginProcess {
  /** Ends it as a crash does. Idempotent. */
  kill(): Promise<void>;
}

export interface DevicePluginProcessOptions {
  resource: string;
  /** The folder of `kubelet.sock`. */
  pluginDir: string;
  /** Name of the plugin's socket in the folder. */
  endpoint: string;
  /** Mounted at /etc/gpu of containers. */
  folder: string;
  /** The device of the node that containers get. */
  device: string;
}

/** Starts the plugin, with the devices gpu0 and gpu1; resolves when it is registered. */
export async function startDevicePlugin(options: DevicePluginProcessOptions): Promise<DevicePluginProcess> {
  const { resource, pluginDir, endpoint, folder, device } = options;
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', program, resource, pluginDir, endpoint, folder, device], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let isRegistered = false;
  child.on('message', () => {
    isRegistered = true;
  });
  await until('the device plugin to be registered', async () => {
    if (child.exitCode !== null) throw new Error(`the device plugin ended with ${child.exitCode}`);
    return isRegistered;
  });
  return {
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    },
  };
}
