import type { VolumePlugin } from '@nodeagent/api';
import { podUid, specName } from '@nodeagent/api/helpers';
import type { DevicePluginPorts, NodeAgentOptions } from '@nodeagent/core/node';
import type { Transport, TransportRequest } from '@nodeagent/kube-client';
import type { SimulatedAgentOptions } from '@nodeagent/test-cluster';

/** A call of an agent on one of its ports. */
export interface PortCall {
  /** Port and operation: `cri startContainer`, `api patch pods/status`, `volume setUp`, `device allocate`. */
  name: string;
  /** What it is about, such as a container of a pod. Repetitions are counted for each object. */
  object: string;
}

/** Executes a call, or fails instead. Must return the promise of `execute` unchanged in order to only observe. */
export type Intercept = <T>(call: PortCall, execute: () => Promise<T>) => Promise<T>;

type Method = (...args: unknown[]) => unknown;

/** The service with each method intercepted; `objectOf` reads the object from the arguments. */
function intercepted<S extends object>(
  service: S,
  port: string,
  objectOf: (method: string, args: unknown[]) => string,
  intercept: Intercept,
): S {
  const methods = new Map<string | symbol, unknown>();
  const wrapped = (name: string, method: Method): Method => {
    const call = (args: unknown[]): PortCall => ({ name: `${port} ${name}`, object: objectOf(name, args) });
    return (...args) => {
      const answer = () => method.apply(service, args);
      if (!streams.has(name)) return intercept(call(args), answer as () => Promise<unknown>);
      return piecesOf(intercept(call(args), async () => answer() as AsyncIterable<unknown>));
    };
  };
  return new Proxy(service, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || typeof name === 'symbol') return method;
      if (!methods.has(name)) methods.set(name, wrapped(name, method as Method));
      return methods.get(name);
    },
  });
}

const streams = new Set(['getContainerEvents', 'listAndWatch']);

async function* piecesOf<T>(stream: Promise<AsyncIterable<T>>): AsyncGenerator<T> {
  yield* await stream;
}

interface CriRequest {
  podSandboxId?: string;
  containerId?: string;
  config?: { metadata?: { uid?: string; name?: string }; labels?: Record<string, string> };
  filter?: { id?: string; podSandboxId?: string; labelSelector?: Record<string, string>; image?: { image?: string } };
  image?: { image?: string };
  sandboxConfig?: { metadata?: { uid?: string } };
  cmd?: readonly string[];
}

const uidLabel = 'io.kubernetes.pod.uid';

/** A runtime whose calls are about pods and containers instead of the IDs of their instances. */
function criCalls(intercept: Intercept) {
  const owners = new Map<string, string>();
  const containerOf = (config: CriRequest['config']) => `${config?.labels?.[uidLabel]}/${config?.metadata?.name}`;
  const objectOf = (method: string, [request = {}]: unknown[]): string => {
    const { podSandboxId, containerId, config, filter, image, sandboxConfig, cmd } = request as CriRequest;
    if (method === 'createContainer') return containerOf(config);
    if (method === 'runPodSandbox') return config?.metadata?.uid ?? '';
    // Each failed start leaves a container; the next one is the same to its pod.
    if (method === 'startContainer') return owners.get(containerId ?? '') ?? '';
    const id = containerId ?? podSandboxId ?? filter?.id ?? filter?.podSandboxId;
    if (id) return [owners.get(id) ?? '', id.slice(0, 8), ...(cmd ?? [])].join(' ').trim();
    const used = image?.image ?? filter?.image?.image;
    return filter?.labelSelector?.[uidLabel] ?? (used ? [sandboxConfig?.metadata?.uid, used].filter(Boolean).join(' ') : 'node');
  };
  const remembering: Intercept = (call, execute) => {
    const answer = intercept(call, execute);
    if (call.name !== 'cri createContainer' && call.name !== 'cri runPodSandbox') return answer;
    const remember = (created: unknown) => {
      const { containerId, podSandboxId } = created as { containerId?: string; podSandboxId?: string };
      const id = containerId ?? podSandboxId;
      if (id) owners.set(id, call.object);
    };
    answer.then(remember, () => {});
    return answer;
  };
  return <S extends object>(service: S): S => intercepted(service, 'cri', objectOf, remembering);
}

/** The CRI services of an agent, intercepted. */
export function criPort({ runtime, image }: SimulatedAgentOptions['cri'], intercept: Intercept): SimulatedAgentOptions['cri'] {
  const wrap = criCalls(intercept);
  return { runtime: wrap(runtime), image: wrap(image) };
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** The verb, resource and object of a request: `/api/v1/namespaces/NS/RESOURCE/NAME/SUBRESOURCE` or `/apis/GROUP/VERSION/...`. */
export function apiCall({ method, path, isWatch = false, body }: Pick<TransportRequest, 'method' | 'path' | 'isWatch' | 'body'>): PortCall {
  const { pathname, searchParams } = new URL(path, 'http://server');
  const [root, ...parts] = pathname.split('/').slice(1);
  const below = parts.slice(root === 'api' ? 1 : 2);
  const [namespace, resource = '', name = '', subresource] =
    below[0] === 'namespaces' && below.length > 2 ? below.slice(1) : ['', ...below];
  const selected = searchParams.get('fieldSelector') ?? '';
  const reading = isWatch ? 'watch' : name === '' ? 'list' : 'get';
  return {
    name: `api ${verbs[method] ?? reading} ${subresource ? `${resource}/${subresource}` : resource}`,
    object: [namespace, name || selected || subject(body)].filter(Boolean).join('/') || resource,
  };
}

/** What a created object is about: an event by its involved object and reason. */
function subject(body: string | undefined): string {
  if (body === undefined) return '';
  const { metadata, involvedObject, reason } = JSON.parse(body) as {
    metadata?: { name?: string };
    involvedObject?: { uid?: string };
    reason?: string;
  };
  return involvedObject ? `${involvedObject.uid} ${reason}` : (metadata?.name ?? '');
}

/** The transport of an agent's client, intercepted. */
export const apiPort = (transport: Transport, intercept: Intercept): Transport => ({
  send: (request) => intercept(apiCall(request), () => transport.send(request)),
  closeConnections: () => transport.closeConnections(),
});

type Volumes = NonNullable<NodeAgentOptions['volumes']>;

/** The volumes of an agent, with each step of a plugin and of the node intercepted. */
export function volumePort(volumes: Volumes, intercept: Intercept): Volumes {
  if (volumes.plugins === undefined) return volumes;
  const node = intercepted(volumes.node, 'volume', nodeObject, intercept);
  return { ...volumes, plugins: volumes.plugins.map((plugin) => volumePlugin(plugin, intercept)), node };
}

/** A path, or the pod and the volume. */
const nodeObject = (_: string, args: unknown[]): string => args.filter((each) => typeof each === 'string').join('/');

function volumePlugin(plugin: VolumePlugin, intercept: Intercept): VolumePlugin {
  const { attachable, deviceMountable } = plugin;
  const ofSpec = (_: string, [spec]: unknown[]) => specName(spec as Parameters<typeof specName>[0]);
  const ofPath = (_: string, [path]: unknown[]) => String(path);
  const of = <S extends object>(made: S | Promise<S>, object: string): S | Promise<S> =>
    made instanceof Promise ? made.then((each) => of(each, object)) : intercepted(made, 'volume', () => object, intercept);
  return {
    ...plugin,
    mounter: (spec, pod) => of(plugin.mounter(spec, pod), `${podUid(pod)}/${specName(spec)}`),
    unmounter: (name, uid) => of(plugin.unmounter(name, uid), `${uid}/${name}`),
    ...(attachable && {
      attachable: { ...attachable, attacher: () => intercepted(attachable.attacher(), 'volume', ofSpec, intercept) },
    }),
    ...(deviceMountable && {
      deviceMountable: {
        ...deviceMountable,
        deviceMounter: () => mountDevice(deviceMountable.deviceMounter(), ofSpec, intercept),
        deviceUnmounter: () => intercepted(deviceMountable.deviceUnmounter(), 'volume', ofPath, intercept),
      },
    }),
  };
}

type DeviceMounter = ReturnType<NonNullable<VolumePlugin['deviceMountable']>['deviceMounter']>;

/** `deviceMountPath` is no call. */
function mountDevice(mounter: DeviceMounter, objectOf: (method: string, args: unknown[]) => string, intercept: Intercept): DeviceMounter {
  const { mountDevice } = intercepted({ mountDevice: mounter.mountDevice }, 'volume', objectOf, intercept);
  return { ...mounter, mountDevice };
}

/** The device plugins of an agent, intercepted. */
export const devicePort = (ports: DevicePluginPorts, intercept: Intercept): DevicePluginPorts => ({
  ...ports,
  connect: (path) =>
    intercepted(
      ports.connect(path),
      'device',
      (method, [ids]) => (method === 'allocate' || method === 'preStartContainer' ? String(ids) : path),
      intercept,
    ),
});
