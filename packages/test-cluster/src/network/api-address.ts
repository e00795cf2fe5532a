/** The cluster IP of the API server, which no Service gets; its name is `kubernetes.default.svc`. */
export const apiAddress = '10.96.0.1';
export const apiPort = 443;
