import {
  type FieldType,
  flag,
  int32,
  int64,
  intOrText,
  list,
  quantities,
  quantity,
  type StructType,
  struct,
  text,
  textList,
} from './schema.js';

const execAction = struct({ command: textList });
const httpGetAction = struct({
  path: text,
  port: intOrText,
  host: text,
  scheme: text,
  httpHeaders: list(struct({ name: text, value: text })),
});
const tcpSocketAction = struct({ port: intOrText, host: text });

const probe = struct({
  exec: execAction,
  httpGet: httpGetAction,
  tcpSocket: tcpSocketAction,
  grpc: struct({ port: int32, service: text }),
  initialDelaySeconds: int32,
  timeoutSeconds: int32,
  periodSeconds: int32,
  successThreshold: int32,
  failureThreshold: int32,
  terminationGracePeriodSeconds: int64,
});

const lifecycleHandler = struct({
  exec: execAction,
  httpGet: httpGetAction,
  tcpSocket: tcpSocketAction,
  sleep: struct({ seconds: int64 }),
});

const keySelector = struct({ name: text, key: text, optional: flag });
export const fieldSelector = struct({ apiVersion: text, fieldPath: text });
export const resourceFieldSelector = struct({ containerName: text, resource: text, divisor: quantity });

export const resources = struct({
  requests: quantities,
  limits: quantities,
  claims: list(struct({ name: text, request: text })),
});

export const seLinuxOptions = struct({ user: text, role: text, type: text, level: text });
export const windowsOptions = struct({ gmsaCredentialSpecName: text, gmsaCredentialSpec: text, runAsUserName: text, hostProcess: flag });
export const localProfile = struct({ type: text, localhostProfile: text });

const containerFields: Readonly<Record<string, FieldType>> = {
  name: text,
  image: text,
  command: textList,
  args: textList,
  workingDir: text,
  ports: list(struct({ name: text, containerPort: int32, hostPort: int32, hostIP: text, protocol: text })),
  envFrom: list(
    struct({ prefix: text, configMapRef: struct({ name: text, optional: flag }), secretRef: struct({ name: text, optional: flag }) }),
  ),
  env: list(
    struct({
      name: text,
      value: text,
      valueFrom: struct({
        fieldRef: fieldSelector,
        resourceFieldRef: resourceFieldSelector,
        configMapKeyRef: keySelector,
        secretKeyRef: keySelector,
        fileKeyRef: struct({ volumeName: text, path: text, key: text, optional: flag }),
      }),
    }),
  ),
  resources,
  resizePolicy: list(struct({ resourceName: text, restartPolicy: text })),
  restartPolicy: text,
  restartPolicyRules: list(struct({ action: text, exitCodes: struct({ operator: text, values: list(int32) }) })),
  volumeMounts: list(
    struct({
      name: text,
      mountPath: text,
      subPath: text,
      subPathExpr: text,
      readOnly: flag,
      recursiveReadOnly: text,
      mountPropagation: text,
    }),
  ),
  volumeDevices: list(struct({ name: text, devicePath: text })),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: struct({ postStart: lifecycleHandler, preStop: lifecycleHandler, stopSignal: text }),
  terminationMessagePath: text,
  terminationMessagePolicy: text,
  imagePullPolicy: text,
  securityContext: struct({
    capabilities: struct({ add: textList, drop: textList }),
    privileged: flag,
    seLinuxOptions,
    windowsOptions,
    runAsUser: int64,
    runAsGroup: int64,
    runAsNonRoot: flag,
    readOnlyRootFilesystem: flag,
    allowPrivilegeEscalation: flag,
    procMount: text,
    seccompProfile: localProfile,
    appArmorProfile: localProfile,
  }),
  stdin: flag,
  stdinOnce: flag,
  tty: flag,
};

export const container: StructType = struct(containerFields);
export const ephemeralContainer: StructType = struct({ ...containerFields, targetContainerName: text });
