/** The rules of the house, from docs/architecture.md: contracts in the middle, subsystems around them, never beside each other. */
const composers = '^packages/(core|test-cluster|envtest|explore|compliance|cli)/';
const contracts = '^packages/(api|cgroups|cri-api|grpc|mount-utils|plugin-api|pod-view|protobuf|streaming|x509|yaml)/';
/** What the tests of any package may use. */
const forTests = '^packages/(testing|memory-runtime|test-api-server|test-controllers|compliance)/';

/** Tests and what only they use. */
const tests = ['[.]test[.]ts$', '[.]test-d[.]ts$', '[.]fixture[.]ts$', '/test-[^/]+[.]ts$'];

/** The parts of an agent and the table that lists them: a part has the type of all components, which has that of the part. */
const table = '^packages/core/src/(components[.]ts$|parts/)';

module.exports = {
  forbidden: [
    {
      name: 'no-siblings',
      comment:
        'A subsystem depends on the contract packages and its own libraries; only core, test-cluster, envtest, explore, compliance and cli compose several.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: [composers, '^packages/(oci-runtime|test-api-server|test-controllers)/', ...tests] },
      to: { path: '^packages/', pathNot: [contracts, '^packages/$1/'] },
    },
    {
      name: 'oci-runtime-composes-a-runtime',
      comment: 'Networks are those of cni; what every CRI server needs, and the image host, is in process-runtime.',
      severity: 'error',
      from: { path: '^packages/oci-runtime/src/', pathNot: tests },
      to: {
        path: '^packages/',
        pathNot: [contracts, '^packages/(oci-runtime|cni|container-logs|image-store)/', '^packages/process-runtime/src/cri[.]ts$'],
      },
    },
    {
      name: 'oci-runtime-is-given-an-image-store',
      comment: 'It knows the type only: its caller decides where images come from.',
      severity: 'error',
      from: { path: '^packages/oci-runtime/src/', pathNot: tests },
      to: { path: '^packages/image-store/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'test-api-server-has-two-siblings',
      comment:
        'It defaults and validates pods with the functions that the agent applies to manifests, because two copies would differ, and it runs the controllers.',
      severity: 'error',
      from: { path: '^packages/test-api-server/src/', pathNot: '[.]test[.]ts$|[.]fixture[.]ts$' },
      to: { path: '^packages/', pathNot: [contracts, '^packages/(test-api-server|test-controllers|pod-sources)/'] },
    },
    {
      name: 'test-controllers-has-one-sibling',
      comment: 'Its events are counted and aggregated by the functions that do so for those of the agent, because two copies would differ.',
      severity: 'error',
      from: { path: '^packages/test-controllers/src/', pathNot: tests },
      to: { path: '^packages/', pathNot: [contracts, '^packages/test-controllers/', '^packages/event-recorder/src/decisions[.]ts$'] },
    },
    {
      name: 'contracts-depend-on-nothing',
      severity: 'error',
      from: { path: contracts, pathNot: tests },
      to: { path: '^packages/', pathNot: contracts },
    },
    {
      name: 'pod-view-runs-in-a-browser',
      comment: 'It imports only the helpers of api, which need no Node.',
      severity: 'error',
      from: { path: '^packages/pod-view/src/', pathNot: tests },
      to: { pathNot: '^packages/(pod-view/|api/src/helpers[.]ts$)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'volumes-without-grpc',
      comment: 'Of the packages of volumes only csi speaks to plugins; the volume manager is given what touches the node.',
      severity: 'error',
      from: { path: '^packages/(volume-manager|volume-plugins|mount-utils)/src/', pathNot: tests },
      to: { path: '^packages/', pathNot: '^packages/(api|mount-utils|$1)/' },
    },
    {
      name: 'volume-manager-depends-on-api',
      severity: 'error',
      from: { path: '^packages/volume-manager/src/', pathNot: tests },
      to: { path: '^packages/', pathNot: '^packages/(api|volume-manager)/' },
    },
    {
      name: 'tests-use-test-packages-only',
      comment: 'A test of a subsystem may use the packages for tests, not a sibling.',
      severity: 'error',
      from: {
        path: '^packages/([^/]+)/src/.*([.]test[.]ts|[.]fixture[.]ts|/test-[^/]+[.]ts)$',
        pathNot: [composers, '^packages/oci-runtime/'],
      },
      to: { path: '^packages/', pathNot: [contracts, '^packages/$1/', forTests] },
    },
    {
      name: 'tests-of-oci-runtime',
      comment: 'They run pods, so they need networks and images.',
      severity: 'error',
      from: { path: '^packages/oci-runtime/src/.*([.]test[.]ts|/test-[^/]+[.]ts)$' },
      to: {
        path: '^packages/',
        pathNot: [
          contracts,
          '^packages/(oci-runtime|cni|container-logs|image-store)/',
          '^packages/process-runtime/src/cri[.]ts$',
          forTests,
        ],
      },
    },
    {
      name: 'no-tests-in-products',
      comment: 'What only tests use is not shipped.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: [...tests, '^packages/test'] },
      to: { path: tests, pathNot: '^packages/test' },
    },
    {
      name: 'suites-apart',
      comment: 'A suite below tests/ imports no other suite: what two of them need is in tests/support, which imports none.',
      severity: 'error',
      from: { path: '^tests/([^/]+)/' },
      to: { path: '^tests/', pathNot: ['^tests/$1/', '^tests/support/'] },
    },
    {
      name: 'suites-are-imported-by-nothing',
      comment: 'Packages, examples and benchmarks do without tests/, but for those that start runtimes as end-to-end tests do.',
      severity: 'error',
      from: { pathNot: ['^tests/', '^bench/(beside-kubelet|image-pull|node-versions|oci-runtime|pod-starts|pod-trace|whole-node)'] },
      to: { path: '^tests/' },
    },
    {
      name: 'no-cycles',
      comment: 'Neither of code nor of types: what two files share is a third.',
      severity: 'error',
      from: { pathNot: table },
      to: { circular: true },
    },
    {
      name: 'parts-without-each-other',
      comment:
        'A part reads the others from its components: of them and of the table it imports types only, so that no cycle is one of code.',
      severity: 'error',
      from: { path: '^packages/core/src/parts/', pathNot: tests },
      to: { path: '^packages/core/src/(components[.]ts|parts/[^/]+[.]ts)$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'core-reaches-the-machine-in-one-folder',
      comment: 'The main entry of core runs in a browser: only the entry node and the folder machine import what needs the machine.',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: ['^packages/core/src/(node[.]ts$|machine/)', ...tests] },
      to: {
        path: ['^packages/core/src/(node[.]ts$|machine/)', '^packages/[^/]+/src/(node|files)[.]ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: tests },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
