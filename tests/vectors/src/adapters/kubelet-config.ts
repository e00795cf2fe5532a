import { isDeepStrictEqual } from 'node:util';
import {
  configurationToJson,
  decodeConfiguration,
  type KubeletConfiguration,
  setDefaults,
  validateKubeletConfiguration,
} from '@nodeagent/kubelet-config';
import { type ConfigFiles, loadKubeletConfiguration } from '@nodeagent/kubelet-config/node';
import { type Adapter, defineAdapter } from '../adapter.js';

type Json = Record<string, unknown>;

const defaulted = (config: unknown) => setDefaults(decodeConfiguration(config).configuration);
const defaults = configurationToJson(setDefaults({})) as Json;

/** Top-level fields that are not as in a configuration of which nothing is set. */
function differsFromDefault(config: KubeletConfiguration): Json {
  return Object.fromEntries(
    Object.entries(configurationToJson(config)).filter(([name, value]) => !isDeepStrictEqual(value, defaults[name])),
  );
}

function applyDefaults({ config }: { config: Json }) {
  const result = defaulted(config);
  const json: Json = configurationToJson(result);
  if (Object.keys(config).length === 0) return { defaulted: json };
  return { differsFromDefault: differsFromDefault(result), absent: Object.keys(defaults).filter((name) => !(name in json)) };
}

const root = '/etc';

/** A virtual folder: `kubelet.yaml` and, below `conf.d`, the drop-in files. */
function memoryFiles(config: unknown, dropIns: Record<string, unknown>): ConfigFiles {
  const texts = new Map(Object.entries(dropIns).map(([path, content]) => [`${root}/conf.d/${path}`, JSON.stringify(content)]));
  if (config !== undefined) texts.set(`${root}/kubelet.yaml`, JSON.stringify(config));
  return {
    async readText(path) {
      const text = texts.get(path);
      if (text === undefined) throw new Error(`open ${path}: no such file or directory`);
      return text;
    },
    async list(folder) {
      const below = [...texts.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
      const names = new Set(below.map((path) => path.split('/')[0] ?? ''));
      return [...names].map((name) => ({ name, isFolder: below.some((path) => path.startsWith(`${name}/`)) }));
    },
  };
}

async function load({ config, dropins }: { config?: Json; dropins?: Record<string, Json> }) {
  try {
    const { configuration, skipped } = await loadKubeletConfiguration({
      ...(config && { config: `${root}/kubelet.yaml` }),
      ...(dropins && { configDir: `${root}/conf.d` }),
      files: memoryFiles(config, dropins ?? {}),
    });
    return { differsFromDefault: differsFromDefault(configuration), skipped: skipped.map((path) => path.slice(`${root}/conf.d/`.length)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** The recording process could write its log as text only. */
const recordedProcess = { logFormats: ['text'] };

export const kubeletConfigAdapters: Adapter[] = [
  defineAdapter('kubelet-config-defaults', applyDefaults),
  defineAdapter('kubelet-config-validate', ({ config }) => ({
    errors: validateKubeletConfiguration({ ...defaulted(config), failCgroupV1: false }, recordedProcess),
  })),
  defineAdapter('kubelet-config-load', load),
];
