import { silentLogger } from '@nodeagent/api';
import { csiErrorCodes } from '@nodeagent/csi';
import { createCsi } from '@nodeagent/csi/node';
import { decodeMessage, encodeMessage, registrationService } from '@nodeagent/plugin-api';
import { createPluginManager, pluginManagerErrorCodes } from '@nodeagent/plugin-manager';
import fc from 'fast-check';
import { fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { withGrpcAnswers } from '../generate/grpc-answers.js';
import { checkPluginMessage } from '../generate/plugin-messages.js';
import { oddText } from '../generate/text.js';
import { promise, promiseDocumented, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const { getInfo, notifyRegistrationStatus } = registrationService;

const version = fc.oneof(fc.constantFrom('1.0.0', 'v1.5', '0.9.1', '2.0', '1', '9'.repeat(2_000), '1.99999999999999999999'), oddText);
const info = fc
  .record(
    {
      type: fc.oneof({ weight: 3, arbitrary: fc.constant('CSIPlugin') }, { weight: 1, arbitrary: oddText }),
      name: fc.oneof(fc.constantFrom('d.example.com', '__proto__'), oddText),
      endpoint: fc.oneof(fc.constant('/csi.sock'), oddText),
      supportedVersions: fc.array(version, { maxLength: 4 }),
    },
    { requiredKeys: ['type'] },
  )
  .map((answer) => encodeMessage(getInfo.response, answer));

interface Registration {
  /** The error that the manager logs; undefined if it registers the plugin. */
  error: unknown;
  /** The statuses that the plugin receives. */
  statuses: { pluginRegistered: boolean; error: string }[];
  plugins: { name: string; type: string; endpoint: string }[];
}

/** Registers a plugin that answers GetInfo with the bytes; the driver behind it works. */
async function register(answer: Buffer): Promise<Registration> {
  const statuses: Registration['statuses'] = [];
  const csi = createCsi({
    rootDir: '/var/lib/kubelet',
    nodeName: 'n',
    isMountPoint: async () => false,
    callNode: async () => ({ nodeId: 'i-1', maxVolumesPerNode: 0n }) as never,
  });
  const service = {
    answers: { [getInfo.path]: answer, [notifyRegistrationStatus.path]: Buffer.alloc(0) },
    onRequest: (path: string, request: Buffer) => {
      if (path === notifyRegistrationStatus.path) statuses.push(decodeMessage(notifyRegistrationStatus.request, request));
    },
  };
  return withGrpcAnswers(service, async (path) => {
    let end: (error?: unknown) => void = () => {};
    const ended = new Promise<unknown>((resolve) => {
      end = resolve;
    });
    const manager = createPluginManager({
      folder: { scan: async () => [{ path, id: '1' }], onChange: () => () => {} },
      handlers: { CSIPlugin: csi.registration },
      logger: {
        ...silentLogger,
        info: () => end(),
        error: (fields) => end((fields as { err: unknown }).err),
      },
    });
    await manager.start();
    const error = await ended;
    const plugins = manager.plugins().map(({ name, type, endpoint }) => ({ name, type, endpoint: endpoint === path ? '' : endpoint }));
    await manager.stop();
    return { error, statuses, plugins };
  });
}

export const pluginRegistration = fuzzTarget({
  name: 'plugin-registration',
  promise: 'an answer to GetInfo registers the plugin that it names, or fails with an error that the plugin receives if it is readable',
  runs: 250,
  inputs: fc.oneof(info, mutatedBytes(info)).map(toBase64),
  async check(input) {
    const answer = fromBase64(input);
    checkPluginMessage(getInfo.response, answer);
    const { error, statuses, plugins } = await register(answer);
    if (error === undefined) {
      const { name, type, endpoint } = decodeMessage(getInfo.response, answer);
      promiseSame(plugins, [{ name, type, endpoint }], 'the registered plugins');
      promiseSame(statuses, [{ pluginRegistered: true, error: '' }], 'the status of a registered plugin');
      return;
    }
    promiseSame(plugins, [], 'the plugins after a failed registration');
    const { message, cause } = promiseDocumented(error, [pluginManagerErrorCodes.registrationFailed], 'a registration');
    for (const status of statuses) promiseSame(status, { pluginRegistered: false, error: message }, 'the status of a refused plugin');
    promise(statuses.length === 1 || message.includes('GetInfo'), `the plugin does not receive: ${message}`);
    const codes = ['PluginCallFailed', csiErrorCodes.csiDriverNameInvalid, csiErrorCodes.csiVersionUnsupported];
    if (cause !== undefined) promiseDocumented(cause, codes, 'the cause of a failed registration');
  },
});
