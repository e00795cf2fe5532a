import type { Container, CpuInfo, MachineTopology, Pod } from '@nodeagent/api';

/** For this package's tests: sockets with one NUMA node each, and cores with two CPUs; the second CPUs follow all first ones. */
export function testTopology(sockets: number, coresPerSocket: number): Pick<MachineTopology, 'cpus'> {
  const cores = sockets * coresPerSocket;
  const cpus = Array.from({ length: 2 * cores }, (_, cpu): CpuInfo => {
    const core = cpu % cores;
    const socket = Math.floor(core / coresPerSocket);
    return { cpu, core, socket, numaNode: socket, uncoreCache: socket };
  });
  return { cpus };
}

/** For this package's tests: a container with CPU and memory, whose requests are its limits. */
export function testContainer(name: string, cpu: string, fields: Partial<Container> = {}): Container {
  const resources = { requests: { cpu, memory: '1Mi' }, limits: { cpu, memory: '1Mi' } };
  return { name, image: 'i', resources, ...fields };
}

/** For this package's tests: a pod with its name as uid. */
export function testPod(name: string, containers: Container[], initContainers: Container[] = []): Pod {
  return { metadata: { name, namespace: 'default', uid: name }, spec: { containers, initContainers } };
}
