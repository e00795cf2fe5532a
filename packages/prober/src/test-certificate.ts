/** For this package's tests: a key and a certificate that nobody signed, for a name that nobody has. */
export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEJXzCYOYb0Y9sXfv
AaUbHAe+Jq8nuRgRilxFlnP4ISShRANCAAS488XwLvnML/OQEdvkOTD1mNpoJqCf
bSV0hPpCG33c1aNOKg5kx1rSTe6Y8VIpiq/aEVTapjY3xGCQnAhAzgWo
-----END PRIVATE KEY-----
`;

export const certificate = `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUTbWO8AegeHfj8saYQ+g9wfMn8ukwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGbm9ib2R5MCAXDTI2MTEyMjAwMzUzMloYDzIxMjYxMDI5MDAz
NTMyWjARMQ8wDQYDVQQDDAZub2JvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAS488XwLvnML/OQEdvkOTD1mNpoJqCfbSV0hPpCG33c1aNOKg5kx1rSTe6Y8VIp
iq/aEVTapjY3xGCQnAhAzgWoo1MwUTAdBgNVHQ4EFgQU6bH8jbGOnxNmqZvq/neV
tjQXfmwwHwYDVR0jBBgwFoAU6bH8jbGOnxNmqZvq/neVtjQXfmwwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAb13u1qvXr5kX6FCwzRg7ig6rmHPfp
j1tBy+wgWMJQHgIhAKIeNZaV3swUKrMkqU4yn9lODiKzkS5AVjK5mcu71HA+
-----END CERTIFICATE-----
`;
