import { createDeviceTestPlugin } from '@nodeagent/device-manager/test-plugin';

/** Arguments: the resource, the folder of kubelet.sock, the name of the plugin's socket, a folder to mount, and the device's path. */
const [resource = '', pluginDir = '', endpoint = '', folder = '', device = ''] = process.argv.slice(2);

const plugin = createDeviceTestPlugin({
  resource,
  pluginDir,
  endpoint,
  devices: [{ id: 'gpu0' }, { id: 'gpu1' }],
  allocate: (ids) => ({
    envs: { VISIBLE_DEVICES: ids.join(',') },
    mounts: [{ containerPath: '/etc/gpu', hostPath: folder, readOnly: true }],
    devices: ids.map((id) => ({ containerPath: `/dev/${id}`, hostPath: device, permissions: 'rw' })),
  }),
});
// It ends with its parent.
process.on('disconnect', () => process.exit());
await plugin.start();
await plugin.register();
process.send?.('registered');
