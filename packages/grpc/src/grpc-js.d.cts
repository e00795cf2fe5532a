export * from '@grpc/grpc-js';
