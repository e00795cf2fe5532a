/** The object identifiers of X.509 extensions (RFC 5280). */
export const extensionIds = { basicConstraints: '2.5.29.19', subjectAltName: '2.5.29.17', extendedKeyUsage: '2.5.29.37' };

/** The object identifiers of a subject's attributes (RFC 5280). */
export const attributeIds = { commonName: '2.5.4.3', organization: '2.5.4.10' };

/** The object identifier of the attribute that lists the requested extensions (PKCS#9, RFC 2985). */
export const extensionRequestId = '1.2.840.113549.1.9.14';

/** The tags of alternative names. */
export const alternativeNameTags = { dns: 0x82, ip: 0x87 };
