// A file of its own, because the build makes one bundle of grpc-js from it, which both module formats load with the first call.
module.exports = require('@grpc/grpc-js');
