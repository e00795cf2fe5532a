// A separate file: the build bundles grpc-js from it, and both module formats load that bundle with a server's first connection.
module.exports = require('@grpc/grpc-js');
