// A separate file: the build bundles grpc-js from it, and both module formats load that bundle with the first call.
module.exports = require('@grpc/grpc-js');
